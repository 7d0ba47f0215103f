"""--dry-run and --validate as kubectl reads them. Kubernetes: cmdutil.GetDryRunStrategy, GetValidationDirective."""

from __future__ import annotations

from kctl.command_line.flags import FlagSet
from kctl.errors import KctlError
from kctl.session.session import Session
from localplane.apimachinery.golang.text import go_quote

_TRUE = ("1", "t", "T", "TRUE", "true", "True")
_FALSE = ("0", "f", "F", "FALSE", "false", "False")


def dry_run(session: Session) -> str:
    """`none`, `client` or `server`. What was said before there were three is still understood."""
    said = session.flags.text("dry-run")
    if said in ("none", "client", "server"):
        return said
    if said == "unchanged":
        session.log_warning("--dry-run is deprecated and can be replaced with --dry-run=client.")
        return "client"
    if said in _TRUE or said in _FALSE:
        meant = "client" if said in _TRUE else "none"
        session.log_warning(
            f"--dry-run={said} is deprecated (boolean value) and can be replaced with --dry-run={meant}."
        )
        return meant
    raise KctlError(f'Invalid dry-run value ({said}). Must be "none", "server", or "client".')


def field_validation(flags: FlagSet) -> str:
    """The server's word for it: Strict, Warn or Ignore."""
    said = flags.text("validate")
    match said:
        case "strict":
            return "Strict"
        case "warn":
            return "Warn"
        case "ignore":
            return "Ignore"
    if said in _TRUE or said in _FALSE:
        return "Strict" if said in _TRUE else "Ignore"
    raise KctlError(
        f"invalid - validate option {go_quote(said)}; must be one of: strict (or true), warn, ignore (or false)"
    )
