"""`kctl ns`: the namespaces, and which of them is the default of the current context. `-` is the one before."""

from __future__ import annotations

from kctl.changes.config import files as config_files
from kctl.command_line.command import Command
from kctl.command_line.flags import FlagSet, switch
from kctl.errors import KctlError
from kctl.session.session import Session
from localplane.client.rest.names import GroupVersionResource


async def run(session: Session, flags: FlagSet) -> None:
    if len(flags.arguments) > 1:
        raise KctlError(f"expected one namespace, not {len(flags.arguments)}")
    namespaces = session.client.resource(GroupVersionResource("", "v1", "namespaces"))
    if not flags.arguments:
        current = session.namespace
        items = (await namespaces.list()).get("items") or ()
        names = [item["metadata"]["name"] for item in items]
        session.write("".join(f"{'*' if name == current else ' '} {name}\n" for name in names))
        return
    await _use(session, flags, flags.arguments[0])


async def _use(session: Session, flags: FlagSet, name: str) -> None:
    files = config_files.ConfigFiles(session)
    context = flags.text("context") or files.current_context
    entry = files.entries("contexts").get(context)
    if entry is None:
        raise KctlError("no current context is set")
    what = f"namespace of {context}"
    if name == "-":
        name = config_files.recall(session, what)
        if not name:
            raise KctlError("there was no namespace before this one")
    if not flags.is_on("force"):
        await session.client.resource(GroupVersionResource("", "v1", "namespaces")).get(name)
    config_files.remember(session, what, entry.get("namespace") or "default")
    files.put("contexts", context, {**entry, "namespace": name})
    session.write(f'Context "{context}" now uses namespace "{name}".\n')


COMMAND = Command(
    "ns",
    "ns [NAMESPACE | -]",
    "Show the namespaces, or make one the default",
    run=run,
    flags=(switch("force", "Don't ask the server whether the namespace is there.", short="f"),),
    description="""\
Show the namespaces, or make one of them the default of the current context. `-` is the one before. A namespace that is
not there is refused, unless you --force it.""",
    examples="""\
# Which namespaces are there, and which is the default?
kctl ns

# Work in another one
kctl ns backend

# And back
kctl ns -

# One that is still to be made, or that may not be looked at
kctl ns --force preview""",
)
