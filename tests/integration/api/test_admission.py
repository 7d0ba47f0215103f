"""Admission: who is asked, when, and about what."""

from __future__ import annotations

import copy
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from localplane.apimachinery.errors import Forbidden
from localplane.apiserver.admission import AdmissionChain, Attributes, Operation
from localplane.apiserver.authorization import ALLOWED, NO_OPINION, Decision, Verdict
from localplane.apiserver.authorization import Attributes as Question
from localplane.apiserver.registry.strategy import Strategy
from localplane.apiserver.request import Request
from localplane.apiserver.resource import APIGroup, Resource, Version
from tests.integration.api.talk import ADMIN, API
from tests.integration.api.toys import (
    CONFIG_MAPS,
    CRON_TABS,
    GROUPS,
    LEASES,
    PODS,
    ConfigMap,
    config_map,
    cron_tab,
    pod,
)

ALL = tuple(Operation)


class Notes:
    """Writes down what it is asked, and does what a test wants to the object."""

    def __init__(self, *, operations: tuple[Operation, ...] = ALL) -> None:
        self.name = "Notes"
        self.operations = operations
        self.asked: list[tuple[str, Attributes]] = []
        self.change: Callable[[Attributes], None] = lambda _: None
        self.refuse: Callable[[str, Attributes], bool] = lambda _, __: False

    async def admit(self, attributes: Attributes) -> None:
        self._note("admit", attributes)
        self.change(attributes)

    async def validate(self, attributes: Attributes) -> None:
        self._note("validate", attributes)

    def _note(self, step: str, attributes: Attributes) -> None:
        self.asked.append((step, copy.deepcopy(attributes)))
        if self.refuse(step, attributes):
            raise Forbidden.of(attributes.resource, attributes.name, f"{step} says no")

    @property
    def steps(self) -> list[tuple[str, str]]:
        return [(step, attributes.operation.value) for step, attributes in self.asked]

    def last(self, step: str) -> Attributes:
        return next(attributes for name, attributes in reversed(self.asked) if name == step)


@pytest.fixture
def notes() -> Notes:
    return Notes()


@pytest.fixture
async def asked(notes: Notes) -> AsyncIterator[API]:
    api = await API.start(GROUPS, plugins=[notes])
    yield api
    await api.close()


async def test_on_create_the_object_is_first_bare_and_then_finished(asked: API, notes: Notes) -> None:
    await asked.post(f"{CONFIG_MAPS}?fieldManager=m", {"metadata": {"generateName": "a-", "uid": "u"}})
    assert notes.steps == [("admit", "CREATE"), ("validate", "CREATE")]
    bare, finished = notes.last("admit"), notes.last("validate")
    assert (bare.name, bare.namespace, bare.old_object) == ("", "default", None)
    assert bare.object is not None
    assert bare.object["metadata"].pop("managedFields")[0]["manager"] == "m"
    assert bare.object["metadata"] == {"generateName": "a-", "namespace": "default"}
    assert finished.object is not None
    metadata = finished.object["metadata"]
    assert finished.name == metadata["name"]
    assert metadata["name"].startswith("a-")
    assert metadata["uid"] not in ("", "u")
    assert str(finished.kind) == "/v1, Kind=ConfigMap"
    assert (str(finished.resource), finished.version, finished.subresource) == ("configmaps", "v1", "")
    assert finished.user == ADMIN
    assert finished.options == {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1", "fieldManager": "m"}


async def test_what_a_plugin_changes_is_stored(asked: API, notes: Notes) -> None:
    def label(attributes: Attributes) -> None:
        assert attributes.object is not None
        attributes.object["metadata"]["labels"] = {"by": "plugin"}

    notes.change = label
    created = await asked.post(CONFIG_MAPS, config_map("a"))
    assert created.body["metadata"]["labels"] == {"by": "plugin"}
    assert (await asked.get(f"{CONFIG_MAPS}/a")).data == created.data


async def test_a_plugin_may_put_another_object_there(asked: API, notes: Notes) -> None:
    def replace(attributes: Attributes) -> None:
        assert attributes.object is not None
        attributes.object = attributes.object | {"data": {"k": "plugin"}}

    notes.change = replace
    assert (await asked.post(CONFIG_MAPS, config_map("a"))).body["data"] == {"k": "plugin"}
    assert (await asked.put(f"{CONFIG_MAPS}/a", config_map("a"))).body["data"] == {"k": "plugin"}


async def test_what_a_plugin_changes_is_validated(asked: API, notes: Notes) -> None:
    def spoil(attributes: Attributes) -> None:
        assert attributes.object is not None
        attributes.object["spec"] = {"replicas": -1}

    notes.change = spoil
    refused = await asked.post(CRON_TABS, cron_tab("a"))
    assert refused.error[:2] == (422, "Invalid")
    assert ("validate", "CREATE") not in notes.steps


async def test_what_a_plugin_mends_is_no_longer_wrong(asked: API, notes: Notes) -> None:
    def mend(attributes: Attributes) -> None:
        assert attributes.object is not None
        attributes.object["spec"] = {"replicas": 1}

    notes.change = mend
    assert (await asked.post(CRON_TABS, cron_tab("a", spec={"replicas": -1}))).status == 201


async def test_validation_sees_a_copy(asked: API, notes: Notes) -> None:
    def scribble(step: str, attributes: Attributes) -> bool:
        if step == "validate" and attributes.object is not None:
            attributes.object["data"] = {"k": "scribbled"}
        if attributes.old_object is not None:
            attributes.old_object["data"] = {"k": "scribbled"}
        return False

    notes.refuse = scribble
    assert "data" not in (await asked.post(CONFIG_MAPS, config_map("a"))).body
    assert (await asked.merge(f"{CONFIG_MAPS}/a", {"data": {"l": "w"}})).body["data"] == {"l": "w"}
    await asked.delete(f"{CONFIG_MAPS}/a?dryRun=All")
    assert (await asked.get(f"{CONFIG_MAPS}/a")).body["data"] == {"l": "w"}


@pytest.mark.parametrize("step", ["admit", "validate"])
async def test_a_refusal_writes_nothing(asked: API, notes: Notes, step: str) -> None:
    await asked.post(CONFIG_MAPS, config_map("a"))
    before = asked.revision
    notes.refuse = lambda asking, _: asking == step
    for reply in (
        await asked.post(CONFIG_MAPS, config_map("b")),
        await asked.put(f"{CONFIG_MAPS}/a", config_map("a", data={"k": "v"})),
        await asked.merge(f"{CONFIG_MAPS}/a", {"data": {"k": "v"}}),
        await asked.delete(f"{CONFIG_MAPS}/a"),
        await asked.delete(CONFIG_MAPS),
        await asked.post(f"{CONFIG_MAPS}?dryRun=All", config_map("b")),
        await asked.delete(f"{CONFIG_MAPS}/a?dryRun=All"),
    ):
        assert reply.error[:2] == (403, "Forbidden")
        assert reply.message.endswith(f"is forbidden: {step} says no")
    assert asked.revision == before


async def test_on_update_it_is_told_the_live_object(asked: API, notes: Notes) -> None:
    created = (await asked.post(CONFIG_MAPS, config_map("a", data={"k": "v"}))).body
    notes.asked.clear()
    await asked.merge(f"{CONFIG_MAPS}/a?fieldValidation=Strict", {"data": {"k": "w"}})
    assert notes.steps == [("admit", "UPDATE"), ("validate", "UPDATE")]
    for step in ("admit", "validate"):
        told = notes.last(step)
        assert told.old_object == created
        assert told.object is not None
        assert told.object["data"] == {"k": "w"}
        assert (told.name, told.dry_run) == ("a", False)
        assert told.options == {
            "kind": "UpdateOptions",
            "apiVersion": "meta.k8s.io/v1",
            "fieldValidation": "Strict",
        }


async def test_an_update_that_lost_a_race_is_admitted_again(
    asked: API, notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    await asked.post(CONFIG_MAPS, config_map("a"))
    notes.asked.clear()
    put, others = asked.backend.put, [{"other": "x"}]

    async def late(key: str, value: bytes, *, expected: int, ttl: Any = None) -> int:
        """Somebody else is faster, once."""
        if others:
            theirs = json.loads(value) | {"data": others.pop()}
            await put(key, json.dumps(theirs).encode(), expected=expected)
        return await put(key, value, expected=expected, ttl=ttl)

    monkeypatch.setattr(asked.backend, "put", late)
    patched = await asked.merge(f"{CONFIG_MAPS}/a", {"data": {"k": "v"}})
    assert patched.body["data"] == {"k": "v", "other": "x"}
    assert notes.steps == [("admit", "UPDATE"), ("validate", "UPDATE")] * 2
    told = notes.last("admit")
    assert told.old_object is not None
    assert told.old_object["data"] == {"other": "x"}


async def test_a_create_by_update_is_a_create(asked: API, notes: Notes) -> None:
    await asked.put(f"{LEASES}/a", {"metadata": {"name": "a"}})
    assert notes.steps == [("admit", "CREATE"), ("validate", "CREATE")]
    assert notes.last("admit").old_object is None
    assert notes.last("validate").options["kind"] == "CreateOptions"


async def test_on_delete_there_is_only_an_old_object(asked: API, notes: Notes) -> None:
    created = (await asked.post(CONFIG_MAPS, config_map("a"))).body
    notes.asked.clear()
    await asked.delete(f"{CONFIG_MAPS}/a", {"gracePeriodSeconds": 0, "propagationPolicy": "Background"})
    assert notes.steps == [("admit", "DELETE"), ("validate", "DELETE")]
    told = notes.last("validate")
    assert told.object is None
    assert told.old_object == created
    assert told.options == {
        "kind": "DeleteOptions",
        "apiVersion": "meta.k8s.io/v1",
        "gracePeriodSeconds": 0,
        "propagationPolicy": "Background",
    }


async def test_a_subresource_is_named(asked: API, notes: Notes) -> None:
    await asked.post(PODS, pod("a"))
    await asked.merge(f"{PODS}/a/status", {"status": {"phase": "Running"}})
    assert (notes.last("validate").subresource, notes.last("validate").operation) == ("status", "UPDATE")
    await asked.post(f"{PODS}/a/binding", {"metadata": {"name": "a"}, "target": {}})
    told = notes.last("validate")
    assert (told.subresource, told.kind.kind, told.name, told.operation) == ("binding", "Binding", "a", "CREATE")


async def test_a_namespace_is_told_as_being_in_itself(asked: API, notes: Notes) -> None:
    await asked.post("/api/v1/namespaces", {"metadata": {"name": "n"}})
    assert (notes.last("admit").namespace, notes.last("validate").namespace) == ("n", "n")
    await asked.delete("/api/v1/namespaces/n")
    assert (notes.last("validate").namespace, notes.last("validate").name) == ("n", "n")
    await asked.post("/api/v1/nodes", {"metadata": {"name": "n"}})
    assert notes.last("validate").namespace == ""


async def test_a_dry_run_is_told(asked: API, notes: Notes) -> None:
    await asked.post(f"{CONFIG_MAPS}?dryRun=All", config_map("a"))
    assert notes.last("admit").dry_run
    assert notes.last("validate").dry_run
    assert notes.last("validate").options["dryRun"] == ["All"]


async def test_reads_are_nobodys_business(asked: API, notes: Notes) -> None:
    await asked.get(CONFIG_MAPS)
    await asked.get(f"{CONFIG_MAPS}/a")
    assert notes.asked == []


async def test_its_warnings_reach_the_client(asked: API, notes: Notes) -> None:
    notes.change = lambda attributes: attributes.warnings.append("careful")
    assert (await asked.post(CONFIG_MAPS, config_map("a"))).warnings == ['299 - "careful"']
    assert (await asked.merge(f"{CONFIG_MAPS}/a", {})).warnings == ['299 - "careful"']
    assert (await asked.delete(CONFIG_MAPS)).warnings == ['299 - "careful"']


async def test_owners_that_a_plugin_doubles_are_told_as_such(asked: API, notes: Notes) -> None:
    owner = {"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "u"}

    def double(attributes: Attributes) -> None:
        if attributes.object is not None:
            attributes.object["metadata"]["ownerReferences"] = [owner, dict(owner)]

    notes.change = double
    for reply in (
        await asked.post(CONFIG_MAPS, config_map("a")),
        await asked.put(f"{CONFIG_MAPS}/a", config_map("a")),
        await asked.merge(f"{CONFIG_MAPS}/a", {}),
    ):
        assert reply.body["metadata"]["ownerReferences"] == [owner]
        (warning,) = reply.warnings
        assert "contains duplicate entries after mutating admission happens; " in warning


async def test_only_those_operations_are_asked_about_that_it_wants() -> None:
    notes = Notes(operations=(Operation.DELETE,))
    api = await API.start(GROUPS, plugins=[notes])
    await api.post(CONFIG_MAPS, config_map("a"))
    await api.merge(f"{CONFIG_MAPS}/a", {})
    assert notes.asked == []
    await api.delete(f"{CONFIG_MAPS}/a")
    assert notes.steps == [("admit", "DELETE"), ("validate", "DELETE")]
    await api.close()


def test_a_name_is_taken_once() -> None:
    with pytest.raises(ValueError, match="admission plugins are registered twice: Notes"):
        AdmissionChain([Notes(), Notes()])


class OrderedStrategy(Strategy):
    """Writes down when it is called."""

    def __init__(self, calls: list[str]) -> None:
        self._calls = calls

    def prepare_for_create(self, request: Request, obj: dict[str, Any]) -> None:
        self._calls.append("prepare")

    def validate(self, request: Request, obj: dict[str, Any]) -> tuple[()]:
        self._calls.append("validate")
        return ()

    def warnings_on_create(self, request: Request, obj: dict[str, Any]) -> tuple[()]:
        self._calls.append("warnings")
        return ()

    def canonicalize(self, obj: dict[str, Any]) -> None:
        self._calls.append("canonicalize")


async def test_a_write_goes_through_its_steps_in_order(notes: Notes) -> None:
    calls: list[str] = []

    def note(step: str, _: Attributes) -> bool:
        calls.append(f"{step}ting" if step == "admit" else "validating admission")
        return False

    notes.refuse = note
    things = Resource("things", "Thing", [Version("v1", ConfigMap)], strategy=OrderedStrategy(calls))
    api = await API.start([APIGroup("example.com", [things])], plugins=[notes])
    await api.post("/apis/example.com/v1/namespaces/default/things", {"metadata": {"name": "a"}})
    assert calls == ["admitting", "prepare", "validate", "warnings", "canonicalize", "validating admission"]
    await api.close()


class MayNotCreate:
    """Allows all but creating."""

    def __init__(self, *, error: str = "") -> None:
        self.asked: list[Question] = []
        self._refusal = Decision(Verdict.NO_OPINION, error=error) if error else NO_OPINION

    async def authorize(self, attributes: Question) -> Decision:
        self.asked.append(attributes)
        return self._refusal if attributes.verb == "create" else ALLOWED


async def test_an_update_that_creates_must_be_allowed_to_create() -> None:
    authorizer = MayNotCreate()
    api = await API.start(GROUPS, authorizer=authorizer)
    refused = await api.put(f"{LEASES}/a", {"metadata": {"name": "a"}})
    assert refused.error == (
        403,
        "Forbidden",
        (
            'leases.coordination.example.com "a" is forbidden: User "admin" cannot create resource "leases" in API '
            "group "
            '"coordination.example.com" in the namespace "default"'
        ),
    )
    assert api.revision == 1
    (question,) = authorizer.asked
    assert (question.verb, question.name, question.namespace) == ("create", "a", "default")
    await api.close()


async def test_a_question_that_cannot_be_answered_is_the_servers_fault() -> None:
    api = await API.start(GROUPS, authorizer=MayNotCreate(error="no answer"))
    refused = await api.put(f"{LEASES}/a", {"metadata": {"name": "a"}})
    assert refused.error == (500, "InternalError", "Internal error occurred: no answer")
    assert api.revision == 1
    await api.close()


async def test_an_update_of_what_is_there_asks_nobody() -> None:
    authorizer = MayNotCreate()
    api = await API.start(GROUPS, authorizer=authorizer)
    await api.post(CONFIG_MAPS, config_map("a"))
    assert (await api.put(f"{CONFIG_MAPS}/a", config_map("a"))).status == 200
    assert authorizer.asked == []
    await api.close()
