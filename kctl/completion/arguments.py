"""What each verb takes. Kubernetes: the ValidArgsFunctions of kubectl's commands, and pkg/util/completion."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from kctl import guides, program
from kctl.command_line.flags import FlagSet
from kctl.completion import live, tree
from kctl.completion.values import DEFAULT, DIRECTORIES, NO_FILES, NO_SPACE, Offer, fitting
from kctl.session.session import Session

Completer = Callable[["Session", Sequence[str], str], Awaitable[Offer]]

_HAVE_PODS = ("daemonsets", "deployments", "pods", "jobs", "replicasets", "replicationcontrollers", "services")
_ROLLING = ("deployment", "daemonset", "statefulset")
_SCALABLE = ("deployment", "replicaset", "replicationcontroller", "statefulset")
_HAVE_TEMPLATES = ("daemonsets", "deployments", "pods", "cronjobs", "replicasets", "replicationcontrollers")


async def of_command(matched: tree.CommandMatch, flags: FlagSet, current: str) -> Offer | None:
    """None where nothing is known: the shell does what it does."""
    if matched.name == "help":
        return _help(flags.arguments, current)
    completer = _COMPLETERS.get(matched.name)
    if completer is None:
        return None
    return await completer(Session(flags, command=f"{program.name()} __complete"), flags.arguments, current)


def _help(arguments: Sequence[str], current: str) -> Offer:
    matched = tree.find(arguments)
    if matched is None:
        return Offer([])
    named = (f"{name}\t{summary}" for name, summary in tree.summaries(matched.path))
    return Offer(fitting(current, named))


def types_and_names(*types: str, repeat: bool = True) -> Completer:
    """TYPE NAME... or TYPE/NAME...; of these types, or of all that the server has."""

    async def complete(session: Session, arguments: Sequence[str], current: str) -> Offer:
        if arguments and "/" not in arguments[0]:
            if not repeat and len(arguments) > 1:
                return Offer([])
            names = fitting(current, await live.names(session, arguments[0]))
            return Offer([name for name in names if name not in arguments[1:]])
        kind, slash, name = current.partition("/")
        if not arguments and not slash:
            return Offer(await _types(session, types, current))
        if arguments and not repeat:
            return Offer([])
        if not slash:
            return Offer([f"{one}/" for one in await _types(session, types, current)], NO_FILES | NO_SPACE)
        found = [f"{kind}/{one}" for one in fitting(name, await live.names(session, kind))]
        return Offer([one for one in found if one not in arguments])

    return complete


async def _types(session: Session, types: Sequence[str], current: str) -> list[str]:
    if types:
        return fitting(current, types)
    listed, comma, last = current.rpartition(",")
    return [f"{listed}{comma}{one}" for one in fitting(last, await live.types(session))]


def names_of(kind: str, *, repeat: bool = False) -> Completer:
    async def complete(session: Session, arguments: Sequence[str], current: str) -> Offer:
        if arguments and not repeat:
            return Offer([])
        names = fitting(current, await live.names(session, kind))
        return Offer([name for name in names if name not in arguments])

    return complete


async def _pod(session: Session, arguments: Sequence[str], current: str) -> Offer:
    """A pod, or what has pods."""
    if arguments:
        return Offer([])
    kind, slash, name = current.partition("/")
    if slash:
        return Offer([f"{kind}/{one}" for one in fitting(name, await live.names(session, kind))])
    pods = fitting(current, await live.names(session, "pod"))
    types = [f"{one}/" for one in (*_HAVE_PODS, "statefulsets") if one.startswith(current)]
    return Offer([*pods, *types], NO_FILES if pods else NO_FILES | NO_SPACE)


async def _pod_and_container(session: Session, arguments: Sequence[str], current: str) -> Offer:
    if len(arguments) == 1:
        return Offer(fitting(current, await live.containers(session, arguments[0])))
    return await _pod(session, arguments, current)


async def _pod_and_port(session: Session, arguments: Sequence[str], current: str) -> Offer:
    """The port here stands before the port there, and is the same until somebody types another."""
    if len(arguments) != 1:
        return await _pod(session, arguments, current)
    ports = await live.ports(session, arguments[0])
    here = current.partition(":")[0]
    return Offer(fitting(current, [f"{here if current else port}:{port}" for port in ports]))


async def _file_or_pod(session: Session, arguments: Sequence[str], current: str) -> Offer:
    """`kctl cp` takes NAMESPACE/POD:PATH, POD:PATH or a file of this machine."""
    if arguments or current.startswith(("/", ".", "~")) or ":" in current:
        return Offer([], NO_SPACE)
    namespace, slash, _ = current.partition("/")
    if slash:
        pods = await live.names(session, "pod", namespace=namespace)
        return Offer(fitting(current, [f"{namespace}/{pod}:" for pod in pods]), NO_SPACE)
    found = [f"{one}/" for one in fitting(current, await live.names(session, "namespace"))]
    found += [f"{one}:" for one in fitting(current, await live.names(session, "pod"))]
    if not current:
        found += ["./", "/"]
    elif found:
        found += fitting(current, live.files())
    return Offer(found, NO_SPACE)


def entries(what: str) -> Completer:
    """Contexts, clusters or users of the kubeconfig."""

    async def complete(session: Session, arguments: Sequence[str], current: str) -> Offer:
        return Offer([] if arguments else fitting(current, live.entries(session, what)))

    return complete


def words(*choices: str) -> Completer:
    async def complete(session: Session, arguments: Sequence[str], current: str) -> Offer:
        del session
        return Offer(fitting(current, choices)) if not arguments else Offer([], DEFAULT)

    return complete


async def _type_and_fields(session: Session, arguments: Sequence[str], current: str) -> Offer:
    if arguments:
        return Offer([])
    types = fitting(current, await live.types(session, every=True))
    if "." not in current or types:
        return Offer(types)
    return Offer(await live.fields(session, current), NO_FILES | NO_SPACE)


async def _access(session: Session, arguments: Sequence[str], current: str) -> Offer:
    """VERB TYPE NAME."""
    if not arguments:
        verbs = ("*", "create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")
        return Offer(fitting(current, verbs))
    return await types_and_names(repeat=False)(session, arguments[1:], current)


async def _faults(session: Session, arguments: Sequence[str], current: str) -> Offer:
    return Offer([name for name in fitting(current, await live.faults(session)) if name not in arguments])


async def _directory(session: Session, arguments: Sequence[str], current: str) -> Offer:
    del session, current
    return Offer([], DIRECTORIES if not arguments else NO_FILES)


async def _snapshot(session: Session, arguments: Sequence[str], current: str) -> Offer:
    """By name, or by file."""
    del session
    return Offer([], NO_FILES) if arguments else Offer(fitting(current, live.snapshots()), DEFAULT)


async def _snapshots(session: Session, arguments: Sequence[str], current: str) -> Offer:
    del session
    return Offer([name for name in fitting(current, live.snapshots()) if name not in arguments])


async def _guide(session: Session, arguments: Sequence[str], current: str) -> Offer:
    del session
    return Offer([] if arguments else fitting(current, (f"{name}\t{about}" for name, about in guides.GUIDES)))


_ANY = types_and_names()
_COMPLETERS: dict[str, Completer] = {
    **dict.fromkeys(
        ("get", "debug", "edit", "annotate", "label", "describe", "delete", "patch", "wait", "watch", "tree"), _ANY
    ),
    **dict.fromkeys(("apply edit-last-applied", "apply view-last-applied"), _ANY),
    **dict.fromkeys(("rollout history", "rollout restart", "rollout undo"), types_and_names(*_ROLLING)),
    **dict.fromkeys(("rollout pause", "rollout resume"), types_and_names("deployment")),
    "rollout status": types_and_names(*_ROLLING, repeat=False),
    **dict.fromkeys(("scale", "autoscale"), types_and_names(*_SCALABLE)),
    "expose": types_and_names("pod", "service", "replicationcontroller", "deployment", "replicaset"),
    "taint": types_and_names("node"),
    "set image": types_and_names(*_HAVE_TEMPLATES, "statefulsets", repeat=False),
    **dict.fromkeys(
        ("set env", "set resources", "set serviceaccount"), types_and_names(*_HAVE_TEMPLATES, "statefulsets")
    ),
    "set selector": types_and_names("services"),
    "set subject": types_and_names("rolebindings", "clusterrolebindings"),
    **dict.fromkeys(("cordon", "uncordon", "drain", "top node"), names_of("node")),
    "top pod": names_of("pod"),
    "create token": names_of("serviceaccount"),
    **dict.fromkeys(("certificate approve", "certificate deny"), names_of("certificatesigningrequest", repeat=True)),
    **dict.fromkeys(("exec", "attach"), _pod),
    "logs": _pod_and_container,
    "port-forward": _pod_and_port,
    "cp": _file_or_pod,
    **dict.fromkeys(
        ("config use-context", "config delete-context", "config rename-context", "config set-context"),
        entries("contexts"),
    ),
    "config get-contexts": entries("contexts"),
    **dict.fromkeys(("config delete-cluster", "config set-cluster"), entries("clusters")),
    **dict.fromkeys(("config delete-user", "config set-credentials"), entries("users")),
    "completion": words("bash", "fish", "powershell", "zsh"),
    "explain": _type_and_fields,
    "auth can-i": _access,
    "kustomize": _directory,
    **dict.fromkeys(("faults list", "faults rm"), _faults),
    "clock advance": words("1m", "10m", "1h", "24h"),
    "ctx": entries("contexts"),
    "ns": names_of("namespace"),
    **dict.fromkeys(("history", "undo"), types_and_names(repeat=False)),
    **dict.fromkeys(("snapshot save", "snapshot restore"), _snapshot),
    "snapshot rm": _snapshots,
    "guide": _guide,
}
"""By the command's name. kubectl has none for certificate, wait, explain, auth and most of set."""
