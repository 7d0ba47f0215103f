"""`kctl kustomize`. Kubernetes: kustomize/v5/commands/build."""

from __future__ import annotations

import os
from pathlib import Path

from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet, switch
from kctl.errors import KctlError
from kctl.kustomize import build, options
from kctl.kustomize.nodes import conversion
from kctl.kustomize.resources import ids, resmap
from kctl.objects import manifests
from kctl.session.session import Session

_FOR_FUNCTIONS = ("network", "network-name", "mount", "env", "as-current-user")
_RESTRICTIONS = ("LoadRestrictionsRootOnly", "LoadRestrictionsNone")
_ORDERS = ("legacy", "none")


async def run(session: Session, flags: FlagSet) -> None:
    if len(flags.arguments) > 1:
        raise KctlError("specify one path to kustomization.yaml")
    options = _options(session, flags)
    resources = build.build(flags.arguments[0] if flags.arguments else ".", options)
    output = flags.text("output")
    if output and Path(output).is_dir():
        _write_files(output, resources)
    elif output:
        _write(output, build.render(resources))
    else:
        session.write(build.render(resources))


def _options(session: Session, flags: FlagSet) -> options.Options:
    _check(flags, "load-restrictor", ("", *_RESTRICTIONS), _RESTRICTIONS)
    _check(flags, "reorder", _ORDERS, _ORDERS)
    for name in _FOR_FUNCTIONS:
        if flags.changed(name):
            raise KctlError(f"--{name} is for functions that run in containers, which kctl does not start")
    plugins = flags.is_on("enable-alpha-plugins")
    return options.Options(
        reorder=flags.text("reorder") if flags.changed("reorder") else "",
        restricted=flags.text("load-restrictor") != "LoadRestrictionsNone",
        managed_by_label=flags.is_on("enable-managedby-label")
        or os.environ.get("KUSTOMIZE_ENABLE_MANAGEDBY_LABEL") == "on",
        plugins=plugins,
        helm=options.HelmOptions(
            enabled=plugins or flags.is_on("enable-helm"),
            command=flags.text("helm-command"),
            api_versions=tuple(flags.texts("helm-api-versions")),
            kube_version=flags.text("helm-kube-version"),
            debug=flags.is_on("helm-debug"),
        ),
        warn=manifests.warn,
        log=manifests.logger(session),
    )


def _check(flags: FlagSet, name: str, allowed: tuple[str, ...], shown: tuple[str, ...]) -> None:
    value = flags.text(name)
    if value not in allowed:
        raise KctlError(f"illegal flag value --{name} {value}; legal values: [{' '.join(shown)}]")


def _write_files(directory: str, resources: resmap.ResMap) -> None:
    """A file for each object; those of several namespaces are told apart by their names."""
    namespaces = {one.current_id.effective_namespace for one in resources} - {ids.NOWHERE}
    for resource in resources:
        name = f"{resource.gvk.without_empty}_{resource.name}.yaml".lower()
        namespace = resource.current_id.effective_namespace
        if len(namespaces) > 1 and namespace != ids.NOWHERE:
            name = f"{namespace.lower()}_{name}"
        _write(os.path.join(directory, name), conversion.to_yaml(resource.node))  # noqa: PTH118 - shown as the user wrote it


def _write(path: str, text: str) -> None:
    try:
        Path(path).write_text(text)
    except OSError as error:
        raise KctlError(f"open {path}: {(error.strerror or str(error)).lower()}") from error


COMMAND = Command(
    "kustomize",
    "kustomize DIR",
    "Build manifests out of a kustomization",
    run=run,
    flags=(
        Flag("output", usage="Write here and not to stdout; into a directory, a file for each object.", short="o"),
        Flag(
            "load-restrictor",
            "text",
            _RESTRICTIONS[0],
            "LoadRestrictionsNone lets kustomizations read files outside of their own directories.",
        ),
        Flag(
            "reorder",
            "text",
            "legacy",
            "The order of the objects: legacy (namespaces first, webhooks last) or none (as they were read).",
            hidden=True,
            deprecated="use the new 'sortOptions' field in kustomization.yaml instead.",
        ),
        switch("enable-helm", "Let helm inflate the charts of kustomizations."),
        Flag("helm-command", "text", "helm", "The helm to run."),
        Flag("helm-api-versions", "array", (), "API versions that charts are told the cluster has."),
        Flag("helm-kube-version", usage="Version that charts are told the cluster has."),
        switch("helm-debug", "Show more when helm fails."),
        Flag(
            "enable-managedby-label",
            "switch",
            False,
            "Add the label app.kubernetes.io/managed-by.",
            bare="true",
            hidden=True,
            deprecated="The flag `enable-managedby-label` has been deprecated. Use the `managedByLabel` option in the "
            "`buildMetadata` field instead.",
        ),
        switch("enable-alpha-plugins", "Allow what is not built in. Programs and containers are refused all the same."),
        switch("network", "Refused: for functions in containers, which kctl does not start."),
        Flag("network-name", "text", "bridge", "Refused: for functions in containers, which kctl does not start."),
        Flag("mount", "array", (), "Refused: for functions in containers, which kctl does not start."),
        Flag("env", "array", (), "Refused: for functions in containers, which kctl does not start.", "e"),
        switch("as-current-user", "Refused: for functions in containers, which kctl does not start."),
    ),
    description="""\
Print the manifests that a kustomization makes: the resources that its kustomization.yaml names, with its patches,
generators and other changes applied. DIR is a directory, or the address of one in a git repository; without it, the
current directory.

Other verbs take a kustomization too: 'kctl apply -k DIR', and 'kctl diff -k DIR' before it.""",
    examples="""\
# See what the kustomization of this directory comes to
kctl kustomize

# Look at what staging and production do not have in common
diff <(kctl kustomize overlays/staging) <(kctl kustomize overlays/production)

# Write a file for each object
mkdir rendered && kctl kustomize overlays/production -o rendered

# Build from a tag of a git repository
kctl kustomize 'https://github.com/example/shop.git/deploy/overlays/test?ref=v1.2.0'

# Let helm inflate the charts that the kustomization names
kctl kustomize --enable-helm --helm-kube-version 1.37.0 platform""",
)
