"""The verbs, one file each. `kctl.cli` imports the one that was named, and nothing else does.

A verb's module has an attribute `app`, made with `new_app`. A plain verb has one function:

    app = new_app()

    @app.command()
    def version(...) -> None:
        '''What `kctl version --help` says.'''

and a verb with verbs of its own (`kctl etcd install`) gives each a name, below a callback that says what the whole
is for: with the callback the name has to be typed even while there is only one.

A verb prints results on stdout, raises KctlError for what the user should know, and never calls sys.exit, imports
another verb, or imports at the top what only one of its paths needs: starting up is most of what a command costs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import typer


def new_app() -> typer.Typer:
    """A Typer without its own decorations: `kctl.cli` prints errors, and kubectl's help has no boxes."""
    import typer

    return typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
