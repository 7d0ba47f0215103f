"""What it takes to make a role or binding into the one that is wanted."""

from __future__ import annotations

from typing import Any

from kctl.changes.reconcile import plans

READ = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}
WRITE = {"apiGroups": [""], "resources": ["pods"], "verbs": ["create"]}


def role(*rules: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    return {"kind": "ClusterRole", "metadata": {"name": "r", **metadata}, "rules": list(rules)}


def aggregated(*labels: str) -> dict[str, Any]:
    selectors = [{"matchLabels": {label: "1"}} for label in labels]
    return {**role(), "aggregationRule": {"clusterRoleSelectors": selectors}}


def test_missing_rules_are_added_to_those_that_are_there() -> None:
    plan = plans.role(role(READ), role(WRITE), remove=False)
    assert (plan.operation, plan.object["rules"]) == ("update", [READ, WRITE])


def test_rules_that_are_covered_need_nothing() -> None:
    everything = {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}
    assert plans.role(role(everything), role(READ), remove=False).operation == ""


def test_extra_rules_go_only_when_asked() -> None:
    assert plans.role(role(READ, WRITE), role(READ), remove=False).operation == ""
    plan = plans.role(role(READ, WRITE), role(READ), remove=True)
    assert (plan.operation, plan.object["rules"], len(plan.extra)) == ("update", [READ], 1)


def test_labels_that_are_there_stay_as_they_are() -> None:
    plan = plans.role(role(labels={"a": "old"}), role(labels={"a": "new", "b": "1"}), remove=False)
    assert plan.object["metadata"]["labels"] == {"a": "old", "b": "1"}


def test_selectors_of_other_roles_are_joined_replaced_or_dropped() -> None:
    both = [{"matchLabels": {"a": "1"}}, {"matchLabels": {"b": "1"}}]
    joined = plans.role(aggregated("a"), aggregated("b"), remove=False)
    assert joined.object["aggregationRule"]["clusterRoleSelectors"] == both
    replaced = plans.role(aggregated("a"), aggregated("b"), remove=True)
    assert replaced.object["aggregationRule"]["clusterRoleSelectors"] == both[1:]
    dropped = plans.role(aggregated("a"), role(), remove=False)
    assert (dropped.operation, "aggregationRule" in dropped.object) == ("update", False)


def binding(role_name: str, *names: str, **metadata: Any) -> dict[str, Any]:
    subjects = [{"kind": "User", "name": name} for name in names]
    return {"kind": "RoleBinding", "metadata": metadata, "roleRef": {"name": role_name}, "subjects": subjects}


def test_a_subject_that_is_missing_is_added_once() -> None:
    plan = plans.binding(binding("r", "jane"), binding("r", "bob", "bob"), remove=False)
    assert [one["name"] for one in plan.object["subjects"]] == ["jane", "bob"]
    assert plan.missing == ("{Kind:User APIGroup: Name:bob Namespace:}",)


def test_a_binding_for_another_role_is_made_anew() -> None:
    assert plans.binding(binding("r", "jane"), binding("s", "jane"), remove=False).operation == "recreate"


def test_an_object_may_opt_out() -> None:
    existing = binding("r", "jane", annotations={plans.AUTOUPDATE: "false"})
    assert plans.binding(existing, binding("r", "bob"), remove=False).protected
