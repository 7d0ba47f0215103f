"""`kctl diff`. Kubernetes: kubectl/pkg/cmd/diff/diff.go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kctl import standard_flags
from kctl.apply.flags import SERVER_SIDE_FLAGS, field_manager
from kctl.command import Command
from kctl.errors import KctlError, UsageError
from kctl.flags import Flag, switch

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.session import Session


async def run(session: Session, given: Given) -> int:
    """1 tells that there are differences, so what goes wrong is told by 2."""
    from kctl.apply.diffing import diff
    from localplane.apimachinery.errors import APIError
    from localplane.client.errors import ClientError

    try:
        if given.arguments:
            raise UsageError(
                f"Unexpected args: [{' '.join(given.arguments)}]", hint="See 'kctl diff -h' for help and examples"
            )
        if not given.texts("filename") and not given.text("kustomize"):
            raise KctlError("must specify one of -f and -k")
        if given.is_on("force-conflicts") and not given.is_on("server-side"):
            raise KctlError("--force-conflicts only works with --server-side")
        return await diff(session, given)
    except (KctlError, APIError, ClientError) as error:
        raise _failed(error) from error


def _failed(error: Exception) -> KctlError:
    """The same words with another exit code."""
    from kctl.reporting import report

    code = error.exit_code if isinstance(error, KctlError) else 0
    return KctlError(report(error) or str(error), exit_code=max(2, code), verbatim=True)


COMMAND = Command(
    "diff",
    "diff -f FILENAME",
    "Diff the live version against a would-be applied version",
    run=run,
    usage_exit_code=2,
    flags=(
        Flag("prune-allowlist", "array", (), "Overwrite the default allowlist with <group/version/kind> for --prune"),
        switch(
            "prune",
            "Include resources that would be deleted by pruning. Can be used with -l and default shows all resources "
            "would be pruned",
        ),
        switch("show-managed-fields", "If true, include managed fields in the diff."),
        switch("show-secrets", "If true, do not mask secret values in the diff."),
        *standard_flags.filename_flags("contains the configuration to diff"),
        *SERVER_SIDE_FLAGS,
        field_manager(),
        standard_flags.SELECTOR,
    ),
    description="""\
Diff configurations specified by file name or stdin between the current online configuration, and the configuration as
it would be if applied.

The output is always YAML.

KUBECTL_EXTERNAL_DIFF environment variable can be used to select your own diff command. Users can use external commands
with params too, example: KUBECTL_EXTERNAL_DIFF="colordiff -N -u"

By default, the "diff" command available in your path will be run with the "-u" (unified diff) and "-N" (treat absent
files as empty) options. Where there is none, kctl compares by itself.

Exit status: 0 No differences were found. 1 Differences were found. >1 kctl or diff failed with an error.

Note: KUBECTL_EXTERNAL_DIFF, if used, is expected to follow that convention.""",
    examples="""\
# Diff resources included in pod.json
kctl diff -f pod.json

# Diff file read from stdin
cat service.yaml | kctl diff -f -""",
)
