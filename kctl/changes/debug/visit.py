"""Sending what was made, and staying with it. Kubernetes: kubectl/pkg/cmd/debug, visit* and handleAttachPod."""

from __future__ import annotations

from kctl import program
from kctl.changes.debug import options
from kctl.changes.debug.containers import Made, Maker
from kctl.changes.launch.foreground import concurrently, join_or_read, pods, read_log, wait_for_pod
from kctl.errors import KctlError
from kctl.objects import Info
from kctl.objects.decoding import check_registered
from kctl.session.session import Session
from kctl.streaming import attach
from localplane.apimachinery.errors import NotFound
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject, sorted_keys
from localplane.apimachinery.patch import strategic
from localplane.apis import encoding, patch_nodes
from localplane.client.rest import resources

_NOT_ROOT = (
    "Warning: Non-root user is configured for the entire target Pod, and some capabilities granted by debug profile "
    'may not work. Please consider using "--custom" with a custom profile that specifies '
    '"securityContext.runAsUser: 0".\n'
)


async def visit(session: Session, debugging: options.Debugging, info: Info) -> None:
    """Raises KctlError, APIError."""
    kind = info.rest_mapping.kind
    obj = info.object or {}
    maker = Maker(session, debugging)
    match (kind.group, kind.kind):
        case ("", "Node"):
            made = maker.node_pod(obj)
            pod = await pods(session, session.namespace).create(made.pod)
        case ("", "Pod") if debugging.flags.text("copy-to"):
            made = maker.copy(obj)
            pod = await _copy(session, debugging, obj, made)
        case ("", "Pod"):
            made = maker.with_ephemeral_container(obj)
            pod = await _add(session, obj, made)
        case _:
            check_registered(str(kind.group_version), kind.kind)
            shown = f"{kind.group}/{kind.version}, Kind={kind.kind}"
            raise KctlError(f"{go_quote(shown)} not supported by debug")
    if debugging.attaches and made.container:
        concurrently(session, lambda own: _join(own, debugging, pod, made.container))


async def _copy(session: Session, debugging: options.Debugging, original: JSONObject, made: Made) -> JSONObject:
    container = next((one for one in made.pod["spec"].get("containers") or () if one["name"] == made.container), None)
    _warn(session, container, made.pod)
    metadata = original["metadata"]
    resource = pods(session, metadata.get("namespace", ""))
    pod = await resource.create(made.pod)
    if debugging.flags.is_on("replace"):
        await resource.delete(metadata["name"], grace_period_seconds=0)
    return pod


async def _add(session: Session, original: JSONObject, made: Made) -> JSONObject:
    before, after = (encoding.encoded({"kind": "Pod", "apiVersion": "v1", **one}) for one in (original, made.pod))
    _warn(session, made.pod["spec"]["ephemeralContainers"][-1], original)
    patch = strategic.two_way_patch(patch_nodes.struct_node("core/v1.Pod"), before, after)
    metadata = original["metadata"]
    try:
        return await pods(session, metadata.get("namespace", "")).patch(
            metadata["name"], sorted_keys(patch), resources.PatchType.STRATEGIC, subresource="ephemeralcontainers"
        )
    except NotFound as error:
        if (error.status().get("details") or {}).get("name"):
            raise
        said = go_quote(error.message)
        raise KctlError(f"ephemeral containers are disabled for this cluster (error from server: {said})") from error


def _warn(session: Session, container: JSONObject | None, pod: JSONObject) -> None:
    """Capabilities don't help a user that is not root. Kubernetes: displayWarning."""
    user = ((pod.get("spec") or {}).get("securityContext") or {}).get("runAsUser")
    context = (container or {}).get("securityContext")
    if not user or not context or context.get("runAsUser") == 0:
        return
    if context.get("privileged") or (context.get("capabilities") or {}).get("add"):
        session.say(_NOT_ROOT)


async def _join(session: Session, debugging: options.Debugging, made: JSONObject, container: str) -> None:
    flags, metadata = debugging.flags, made["metadata"]
    how = attach.Attaching(
        container=container,
        stdin=flags.is_on("stdin"),
        terminal=flags.is_on("tty"),
        quiet=debugging.quiet,
        detach_keys="ctrl-p,ctrl-q",
        command=f"{program.name()} attach",
    )

    def has_started(pod: JSONObject) -> bool:
        state = _state(pod, container)
        waiting = str((state.get("waiting") or {}).get("message") or "")
        if waiting and not debugging.quiet:
            session.say(f"Warning: container {container}: {waiting}\n")
        return "running" in state or "terminated" in state

    pod = await wait_for_pod(session, metadata["namespace"], metadata["name"], has_started)
    if "terminated" in _state(pod, container):
        await read_log(session, pod, container)
    else:
        await join_or_read(session, pod, how)


def _state(pod: JSONObject, container: str) -> JSONObject:
    status = pod.get("status") or {}
    for part in ("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses"):
        for one in status.get(part) or ():
            if one.get("name") == container:
                state: JSONObject = one.get("state") or {}
                return state
    return {}
