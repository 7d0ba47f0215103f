"""The flags that the sub-commands of `set` share.

Containers by name, with `*` for any part of it. Kubernetes: kubectl/pkg/cmd/set/helper.go, selectContainers.

Where a kind keeps the pods it makes. Kubernetes: polymorphichelpers, UpdatePodSpecForObject.

Finding objects, changing each, and sending what differs. Kubernetes: kubectl/pkg/cmd/set/helper.go.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kctl.changes.change_cause import RECORD, annotated, recorded
from kctl.command_line import standard_flags
from kctl.command_line.flags import Flag, FlagSet, switch
from kctl.errors import KctlError, raise_all
from kctl.objects import Info, Query, resolve
from kctl.objects.decoding import check_registered
from kctl.objects.lookup import MISSING_RESOURCE
from kctl.printers.choice import Printer, output_flags
from kctl.session.session import Session
from localplane.apimachinery.errors import APIError
from localplane.apimachinery.objects import JSONObject, sorted_keys
from localplane.apimachinery.patch import strategic, values
from localplane.apis import encoding, patch_nodes
from localplane.client.rest import resources


def set_flags(*more: Flag, selector: bool = True, record: bool = True) -> tuple[Flag, ...]:
    return (
        *output_flags(),
        switch("all", "Change all objects of the given types in the namespace."),
        switch("local", "Change what the files of -f say, and ask no server."),
        standard_flags.DRY_RUN,
        standard_flags.field_manager("kubectl-set"),
        *standard_flags.filename_flags("with the objects to change"),
        *more,
        *((standard_flags.SELECTOR,) if selector else ()),
        *((RECORD,) if record else ()),
    )


def selected(spec: JSONObject, pattern: str) -> list[JSONObject]:
    """Of a pod: containers first, then those that run before them."""
    every = [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]
    return [container for container in every if _matches(str(container.get("name", "")), pattern)]


def _matches(name: str, pattern: str) -> bool:
    """kubectl's own rules, which are a little narrower than a shell's."""
    if pattern == "*":
        return True
    if "*" not in pattern:
        return name == pattern
    position = 0
    parts = pattern.split("*")
    for index, part in enumerate(parts):
        if not part:
            continue
        found = name[position:].find(part)
        is_last = index == len(parts) - 1
        if found < position or (index == 0 and position) or (is_last and len(name) != len(part) + found):
            return False
        position = found
    return True


_TEMPLATE = ("spec", "template")
_TEMPLATES = {
    ("", "ReplicationController"): _TEMPLATE,
    ("apps", "Deployment"): _TEMPLATE,
    ("apps", "DaemonSet"): _TEMPLATE,
    ("apps", "ReplicaSet"): _TEMPLATE,
    ("apps", "StatefulSet"): _TEMPLATE,
    ("batch", "Job"): _TEMPLATE,
    ("batch", "CronJob"): ("spec", "jobTemplate", "spec", "template"),
}


def pod_spec(obj: JSONObject) -> JSONObject:
    """The spec itself, to be changed in place. Raises KctlError for a kind without pods."""
    group, version, kind = _kind(obj)
    path = ("spec",) if (group, kind) == ("", "Pod") else _TEMPLATES.get((group, kind))
    if path is None:
        raise KctlError(f"the object is not a pod or does not have a pod template: {go_type(obj)}")
    del version
    return _at(obj, path if path == ("spec",) else (*path, "spec"))


def pod_template(obj: JSONObject) -> JSONObject | None:
    """None for a kind that has none."""
    group, _, kind = _kind(obj)
    path = _TEMPLATES.get((group, kind))
    return None if path is None else _at(obj, path)


def go_type(obj: JSONObject) -> str:
    """What Go's %T shows for an object of a known kind."""
    _, version, kind = _kind(obj)
    return f"*{version}.{kind}"


def _kind(obj: JSONObject) -> tuple[str, str, str]:
    group, _, version = str(obj.get("apiVersion", "")).rpartition("/")
    return group, version, str(obj.get("kind", ""))


def _at(obj: JSONObject, path: tuple[str, ...]) -> JSONObject:
    for name in path:
        obj = obj.setdefault(name, {})
    return obj


Change = Callable[[JSONObject], bool]
"""Changes the object in place. Whether it is to be sent at all; raises KctlError for one that can't be changed so."""


async def find(session: Session, flags: FlagSet, arguments: Sequence[str], *, refuses: bool = True) -> list[Info]:
    """Raises what is wrong with the command line, and with any of the objects. With --local no server is asked; some
    verbs refuse words that only a server understands, others just don't read them."""
    local = flags.is_on("local")
    if local and arguments and refuses:
        raise KctlError(LOCAL)
    query = Query.of(flags, [] if local else arguments)._replace(
        types_alone=flags.is_on("all"), latest=not local, local=local, keep_going=True, flatten=True
    )
    if local:
        if not query.filenames and not query.kustomize:
            raise KctlError(MISSING_RESOURCE)
        query = query._replace(label_selector="")
    result = await resolve(session, query)
    infos = await result.infos()
    result.raise_errors()
    for info in infos:
        require_struct(info)
    return infos


def require_struct(info: Info) -> None:
    """Raises KctlError for a kind that kubectl could not read: one of a custom resource."""
    obj = info.object or {}
    check_registered(str(obj.get("apiVersion", "")), str(obj.get("kind", "")), info.source)


LOCAL = """\
error: you must specify resources by --filename when --local is set.
Example resource specifications include:
   '-f rsrc.yaml'
   '--filename=rsrc.json'"""


def check_common(flags: FlagSet, mode: str) -> None:
    if flags.is_on("local") and mode == "server":
        raise KctlError("cannot specify --local and --dry-run=server - did you mean --dry-run=client?")
    if flags.is_on("all") and flags.known("selector") and flags.text("selector"):
        raise KctlError("cannot set --all and --selector at the same time")


class Changing:
    """One run over some objects. `failure` is said before a server's refusal, with what goes between them."""

    def __init__(self, session: Session, flags: FlagSet, printer: Printer, *, mode: str, failure: str) -> None:
        self._session = session
        self._flags = flags
        self._printer = printer
        self._mode = mode
        self._failure = failure
        self._recorded = recorded(session) if flags.known("record") else {}
        self.errors: list[Exception] = []

    async def run(self, infos: Sequence[Info], change: Change, *, even_if_same: bool = False) -> None:
        """All are changed before the first is sent. Raises all that went wrong."""
        planned = [(info, patch) for info in infos if (patch := self._plan(info, change)) is not None]
        for info, patch in planned:
            if patch or even_if_same:
                await self._send(info, patch)
        raise_all(self.errors)

    def _plan(self, info: Info, change: Change) -> JSONObject | None:
        try:
            return plan(info, change, self._recorded)
        except KctlError as error:
            self.errors.append(KctlError(f"error: {shown(info)} {error}\n"))
            return None

    async def _send(self, info: Info, patch: JSONObject) -> None:
        is_local = self._flags.is_on("local")
        if is_local or self._mode == "client":
            self._printer.print(info.object or {}, self._session.write_object)
            return
        try:
            answer = await send_patch(self._flags, info, patch, dry_run=self._mode == "server")
        except APIError as error:
            if not self._failure:
                self.errors.append(error)
                return
            self.errors.append(KctlError(f"{self._failure} {error.message}"))
            return
        self._printer.print(answer, self._session.write_object)


def patch_of(obj: JSONObject, change: Change) -> JSONObject | None:
    """The object is changed, and this is what that amounts to. None if the change did not want to be sent."""
    before = values.copied(encoding.encoded(obj))
    if not change(obj):
        return None
    after = encoding.encoded(obj)
    node = patch_nodes.patch_node(after)
    assert node is not None  # only kinds that are known can be changed
    return strategic.two_way_patch(node, before, after)


def plan(info: Info, change: Change, annotations: dict[str, str]) -> JSONObject | None:
    """As `patch_of`, with annotations for what is changed. The Info has the new object afterwards."""
    obj = encoding.encoded(info.object or {})

    def annotate(one: JSONObject) -> bool:
        wanted = change(one)
        one |= annotated(one, annotations)
        return wanted

    patch = patch_of(obj, annotate)
    info.object = encoding.encoded(obj)
    return patch


async def send_patch(flags: FlagSet, info: Info, patch: JSONObject, *, dry_run: bool) -> JSONObject:
    return await info.resource.patch(
        info.name,
        sorted_keys(patch),
        resources.PatchType.STRATEGIC,
        dry_run=dry_run,
        field_manager=flags.text("field-manager"),
    )


def shown(info: Info) -> str:
    """`deployments/web`, for messages; without a server, the kind's name."""
    return info.shown if info.mapping is not None else f"{str((info.object or {}).get('kind', '')).lower()}/{info.name}"
