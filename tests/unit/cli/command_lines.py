"""What `kctl up` makes of a command line."""

from __future__ import annotations

import typer
from typer.testing import CliRunner

from localplane.cli.flags import command
from localplane.cli.options import UpOptions


def parse(line: str) -> UpOptions:
    heard: list[UpOptions] = []

    def start(options: UpOptions) -> int:
        heard.append(options)
        return 0

    app = typer.Typer(pretty_exceptions_enable=False)
    app.command()(command(UpOptions, start))
    result = CliRunner().invoke(app, line.split())
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return heard[0]
