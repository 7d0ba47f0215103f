"""Which revision a replica set is, and which it was."""

from __future__ import annotations

from localplane.apimachinery.objects import JSONObject
from localplane.controllers.workloads.deployments.revisions import (
    DESIRED,
    HISTORY,
    REVISION,
    highest_revision,
    last_revision,
    noted,
    revised,
    rollback_of,
)


def annotated(**annotations: str) -> JSONObject:
    return {"metadata": {"annotations": annotations}}


def at(revision: str, history: str = "") -> JSONObject:
    annotations = {REVISION: revision} | ({HISTORY: history} if history else {})
    return {"metadata": {"annotations": annotations}}


def test_the_highest_and_the_last_revision_pass_over_what_is_none() -> None:
    replica_sets = [at("3"), at("1"), at("x"), {"metadata": {}}, at("2")]
    assert highest_revision(replica_sets) == 3
    assert last_revision(replica_sets) == 2
    assert last_revision([at("1")]) == 0
    assert highest_revision([]) == 0


def test_a_new_replica_set_gets_the_deployments_annotations_but_not_those_about_itself() -> None:
    own = {"kubectl.kubernetes.io/last-applied-configuration": "{}", REVISION: "7", DESIRED: "3"}
    deployment = {"metadata": {"annotations": {"why": "because"} | own}}
    assert revised({"metadata": {}}, deployment, 2) == {"why": "because", REVISION: "2"}


def test_going_back_remembers_what_it_was() -> None:
    assert revised(at("1"), annotated(), 3) == {REVISION: "3", HISTORY: "1"}
    assert revised(at("4", "1,2"), annotated(), 6) == {REVISION: "6", HISTORY: "1,2,4"}


def test_a_revision_never_gets_smaller_or_overwrites_what_is_no_revision() -> None:
    assert revised(at("5"), annotated(), 3) == {REVISION: "5"}
    assert revised(at("five"), annotated(a="b"), 3) == {REVISION: "five"}


def test_a_history_that_grows_too_long_loses_its_oldest() -> None:
    history = ",".join(str(number) for number in range(1000, 1400))
    longer = revised(at("1400", history), annotated(), 1401)[HISTORY]
    assert longer.startswith("1001,")
    assert longer.endswith(",1399,1400")
    assert len(longer) <= 2000


def test_only_numbers_of_replicas_count_as_noted() -> None:
    for text, number in (("3", 3), ("0", 0), ("", None), ("-1", None), ("x", None), (str(2**31), None)):
        assert noted({"metadata": {"annotations": {DESIRED: text}}}, DESIRED) == number


def test_the_annotation_of_old_names_a_revision_to_go_back_to() -> None:
    name = "deprecated.deployment.rollback.to"
    assert rollback_of({"metadata": {"annotations": {name: "0"}}}) == 0
    assert rollback_of({"metadata": {"annotations": {name: "4"}}}) == 4
    assert rollback_of({"metadata": {"annotations": {name: "x"}}}) is None
    assert rollback_of({"metadata": {}}) is None
