"""`kctl diff`. Kubernetes: kubectl/pkg/cmd/diff/diff.go."""

from __future__ import annotations

from kctl.changes.apply import diff, past
from kctl.changes.apply.options import PRUNE_ALLOWLIST, SERVER_SIDE_FLAGS, field_manager_flag
from kctl.command_line import standard_flags
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet, switch
from kctl.errors import KctlError, UsageError, report
from kctl.session.session import Session
from localplane.apimachinery.errors import APIError
from localplane.client.errors import ClientError


async def run(session: Session, flags: FlagSet) -> int:
    """1 tells that there are differences, so what goes wrong is told by 2."""
    try:
        if flags.text("at"):
            return await past.diff(session, flags)
        if flags.text("to"):
            raise KctlError("--to needs --at: from when to when?")
        if flags.arguments:
            raise UsageError(
                f"Unexpected args: [{' '.join(flags.arguments)}]", hint="See 'kctl diff -h' for help and examples"
            )
        if not flags.texts("filename") and not flags.text("kustomize"):
            raise KctlError("must specify one of -f and -k")
        if flags.is_on("force-conflicts") and not flags.is_on("server-side"):
            raise KctlError("--force-conflicts only works with --server-side")
        return await diff.diff(session, flags)
    except (KctlError, APIError, ClientError) as error:
        raise _failed(error) from error


def _failed(error: Exception) -> KctlError:
    """The same words with another exit code."""
    code = error.exit_code if isinstance(error, KctlError) else 0
    return KctlError(report(error) or str(error), exit_code=max(2, code), verbatim=True)


COMMAND = Command(
    "diff",
    "diff -f FILENAME",
    "Show what an apply would change",
    run=run,
    usage_exit_code=2,
    flags=(
        PRUNE_ALLOWLIST,
        Flag("at", usage="What has changed in the namespace since then: a revision, a time, or how long ago (5m)."),
        Flag("to", usage="With --at: until then. Default: now."),
        standard_flags.ALL_NAMESPACES,
        switch("prune", "Also what 'apply --prune' would delete; with -l only what has these labels."),
        Flag("concurrency", "int", 1, "How many files to look at at the same time."),
        switch("show-managed-fields", "Compare metadata.managedFields too."),
        switch("show-secrets", "Show what is in secrets; without it only that it differs."),
        *standard_flags.filename_flags("to compare with what is there."),
        *SERVER_SIDE_FLAGS,
        field_manager_flag(),
        standard_flags.SELECTOR,
    ),
    description="""\
Asks the server what each object would become, changes nothing, and compares the two as YAML.

The program "diff" compares, with -u -N. KUBECTL_EXTERNAL_DIFF names another one, with its arguments; it gets two
directories. Where there is no diff, kctl compares by itself.

Ends with 0 if nothing would change, with 1 if something would, and with more if something went wrong.""",
    examples="""\
# What would change?
kctl diff -f web.yaml

# In colour, side by side
KUBECTL_EXTERNAL_DIFF="colordiff -y" kctl diff -R -f app/

# Apply only if there is something to do
kctl diff -f app/ > /dev/null || kctl apply -f app/

# What has changed in the last five minutes, and between two revisions in all namespaces (planes of 'kctl up')?
kctl diff --at 5m
kctl diff --at 1200 --to 1250 -A

# What would disappear?
kctl diff -f shop/ -l app=shop --prune""",
)
