"""`kctl version`: what is running here."""

import json
import platform
import sys
from typing import Annotated

import typer

from kctl import __version__
from kctl.commands import new_app
from kctl.errors import KctlError

app = new_app()


@app.command()
def version(
    output: Annotated[str, typer.Option("--output", "-o", show_default=False, help="One of 'yaml' or 'json'.")] = "",
) -> None:
    """Print the version of kctl and of the Python it runs on.

    Examples:

      kctl version

      kctl version -o json
    """
    if output not in {"", "json", "yaml"}:
        raise KctlError("--output must be 'yaml' or 'json'")
    client = {
        "gitVersion": f"v{__version__}",
        "platform": f"{sys.platform}/{platform.machine()}",
        "pythonVersion": platform.python_version(),
    }
    if output == "":
        sys.stdout.write(f"Client Version: {client['gitVersion']}\nPython Version: {client['pythonVersion']}\n")
    elif output == "json":
        sys.stdout.write(json.dumps({"clientVersion": client}, indent=2) + "\n")
    else:
        fields = "".join(f"  {name}: {value}\n" for name, value in client.items())
        sys.stdout.write(f"clientVersion:\n{fields}")
