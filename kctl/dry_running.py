"""--dry-run and --validate, read as kubectl reads them. Kubernetes: cmdutil.GetDryRunStrategy, GetValidationDirective."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kctl.errors import KctlError
from localplane.apimachinery.gotext import go_quote

if TYPE_CHECKING:
    from kctl.flags import Given


def dry_run(given: Given) -> str:
    """`none`, `client` or `server`."""
    said = given.text("dry-run")
    if said in ("none", "client", "server"):
        return said
    if said == "unchanged":
        raise KctlError(
            '--dry-run flag without a value was specified. A value must be set: "none", "server", or "client".'
        )
    if said in ("true", "false", "1", "0", "t", "f", "T", "F", "TRUE", "FALSE", "True", "False"):
        raise KctlError(
            f"Invalid dry-run value ({said}). Must be \"none\", \"server\", or \"client\"."
        )
    raise KctlError(f'Invalid dry-run value ({said}). Must be "none", "server", or "client".')


def field_validation(given: Given) -> str:
    """The server's word for it: Strict, Warn or Ignore."""
    said = given.text("validate")
    match said:
        case "strict" | "true" | "1" | "t" | "T" | "TRUE" | "True":
            return "Strict"
        case "warn":
            return "Warn"
        case "ignore" | "false" | "0" | "f" | "F" | "FALSE" | "False":
            return "Ignore"
    raise KctlError(
        f"invalid - validate option {go_quote(said)}; must be one of: strict (or true), warn, ignore (or false)"
    )
