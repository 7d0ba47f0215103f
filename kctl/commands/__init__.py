"""The verbs, one file each. `kctl.cli` imports the one that was named, and nothing else does.

A verb's module has a COMMAND (see `kctl.command_line.command`): its words, flags, help, and a coroutine that gets a
Session and the flags and arguments of its command line:

    async def run(session: Session, flags: FlagSet) -> int | None:
        result = await resolve(session, Query.of(flags)._replace(keep_going=True, flatten=True))
        printer = results.printer_for(flags, "labeled", dry_run=dry_run(session))
        async for info in result.visit():
            info.refresh(await info.resource.patch(info.name, ...))
            printer.print(info.object, session.write_object)
        result.raise_errors()

    COMMAND = Command("label", "label TYPE NAME KEY=VALUE", "Update the labels on a resource", run=run, flags=(...))

Subcommands are Commands in `commands=`. Verbs that run a server have an `app` instead, made with `new_app`: Typer's
start does not matter there.

A verb prints objects with `session.write_object` and the rest with `session.write`, raises KctlError for what the user
should know, and never calls sys.exit, imports another verb, or imports at the top what only one of its paths needs:
starting up is most of what a command costs.
"""

from __future__ import annotations

from localplane.apimachinery.light_typing import TYPE_CHECKING

if TYPE_CHECKING:
    import typer


def new_app() -> typer.Typer:
    """A Typer without its own decorations: `kctl.cli` prints errors, and kubectl's help has no boxes."""
    import typer

    return typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
