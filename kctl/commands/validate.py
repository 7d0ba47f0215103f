"""`kctl validate`: check manifests with the server's own code, without a server."""

from __future__ import annotations

import itertools

from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet, switch
from kctl.errors import KctlError, UsageError
from kctl.objects import manifests
from kctl.session.session import Session
from localplane.cli.validation import formats, sources, validator

_FORMATS = ("text", "json", "sarif", "github")


async def run(session: Session, flags: FlagSet) -> int:
    output = flags.text("output")
    if output not in _FORMATS:
        raise KctlError(f"--output must be one of {', '.join(_FORMATS)}")
    filenames = [*flags.arguments, *flags.texts("filename")]
    kustomization = flags.text("kustomize")
    if not filenames and not kustomization and not flags.texts("crds"):
        raise UsageError(
            "there is nothing to validate: name files or directories, with -f or without, or a kustomization with -k",
            hint="See 'kctl validate --help' for usage.",
        )
    read = sources.read_sources([*flags.texts("crds"), *filenames], recursive=flags.is_on("recursive"))
    built = [_built(session, kustomization)] if kustomization else []
    verdict = await validator.validate(
        itertools.chain(read, built),
        validator.ValidationOptions(
            namespace=flags.text("namespace") or "default",
            ignore_missing_schemas=flags.is_on("ignore-missing-schemas"),
        ),
    )
    session.write(formats.FORMATS[output](verdict))
    return 0 if verdict.is_valid else 1


def _built(session: Session, directory: str) -> sources.Source:
    """What comes of a kustomization stands in no file, so it is the kustomization that is named."""
    return sources.Source(directory, manifests.manifest(session, directory).decode(), built=True)


COMMAND = Command(
    "validate",
    "validate [FILE|DIR ...] [-f FILE|DIR|-] [-k DIR]",
    "Check manifests as a server would, without one",
    run=run,
    concurrent=True,
    flags=(
        Flag("filename", "array", (), "A file or a directory with manifests; - is stdin. May be repeated.", "f"),
        Flag("kustomize", "text", "", "A kustomization: what it builds is checked.", "k"),
        switch("recursive", "Look into the subdirectories of directories, too.", short="R"),
        Flag("crds", "array", (), "Definitions of custom resources that the manifests need. May be repeated."),
        switch("ignore-missing-schemas", "Pass over objects of kinds that nobody knows, instead of refusing them."),
        Flag("output", "text", "text", "How it is told: text, json, sarif or github (annotations).", "o"),
    ),
    description="""\
Check manifests with the server's own code, in this process: no plane is started and no cluster is asked. Fields that a
kind does not have or that are there twice, wrong types, defaults, validation, CEL rules, the admission plugins that
need nothing but the object, and what the given files bring with them: definitions of custom resources, validating and
mutating admission policies, namespaces with their labels, limit ranges. The order of the files does not matter, and
what objects refer to (a service account, a secret, a class) need not be there. Webhooks are not called.

Each finding has its file, line and column. The exit code is 0 if everything is valid, warnings or not, and 1 if not.
Files with a Helm chart's templates are no manifests: pipe what 'helm template' prints.""",
    examples="""\
# Everything in a directory and below
kctl validate -R deploy/

# Custom resources, with the definitions that they need
kctl validate -f samples/ --crds config/crd/

# What a kustomization builds
kctl validate -k overlays/production

# A chart
helm template web ./chart | kctl validate -f -

# Annotations in a GitHub workflow; a file for code scanning
kctl validate -R deploy/ -o github
kctl validate -R deploy/ -o sarif > kctl.sarif

# Kinds of other people's operators don't matter
kctl validate -f app.yaml --ignore-missing-schemas""",
)
