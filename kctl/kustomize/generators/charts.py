"""Charts, inflated with the helm program. Kubernetes: HelmChartInflationGenerator."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kctl.kustomize import options
from kctl.kustomize.errors import KustomizeError
from kctl.kustomize.loading.loader import Loader
from kctl.kustomize.merging.schemas import Schemas
from kctl.kustomize.merging.strategic_merge import Merger
from kctl.kustomize.nodes.conversion import from_json, json_value
from kctl.kustomize.nodes.parser import parse
from kctl.kustomize.resources.factory import resources_from
from kctl.kustomize.resources.resmap import ResMap
from kctl.kustomize.resources.resource import HELM_GENERATED
from localplane.apimachinery.serializers.yaml_writer import to_yaml

_MERGES = ("merge", "override", "replace")


class ChartGenerator:
    """`fields` are those of an entry of `helmCharts`, with those of `helmGlobals`."""

    def __init__(
        self, fields: Mapping[str, Any], loader: Loader, schemas: Schemas, options: options.HelmOptions
    ) -> None:
        if not options.enabled:
            raise KustomizeError("must specify --enable-helm")
        if not options.command:
            raise KustomizeError("must specify --helm-command")
        given = {"kubeVersion": options.kube_version, "apiVersions": options.api_versions, "debug": options.debug}
        self._fields: dict[str, Any] = {**{key: value for key, value in given.items() if value}, **fields}
        self._loader = loader
        self._schemas = schemas
        self._command = options.command
        if not self._text("name"):
            raise KustomizeError("chart name cannot be empty")
        for name in ("name", "releaseName"):
            if self._text(name).startswith("-"):  # helm would take it for an option, and some of them run programs
                raise KustomizeError(f"chart {name} '{self._text(name)}' must not begin with a dash")
        self._values_file = self._text("valuesFile") or str(self._home / self._text("name") / "values.yaml")
        self._more_files = [self._additional(path) for path in self._fields.get("additionalValuesFiles") or ()]
        if self._text("valuesMerge") not in ("", *_MERGES):
            raise KustomizeError(f"valuesMerge must be one of [{' '.join(_MERGES)}]")

    def _text(self, name: str) -> str:
        return str(self._fields.get(name) or "")

    def _additional(self, path: str) -> str:
        try:
            self._loader.load(path)
        except KustomizeError as error:
            raise error.within("could not load additionalValuesFile") from error
        return str(Path(self._loader.root) / path)

    @property
    def _home(self) -> Path:
        home = Path(self._loader.root) / (self._text("chartHome") or "charts")
        if self._text("version") and self._text("repo"):
            return home / f"{self._text('name')}-{self._text('version')}"
        return home

    def generate(self) -> ResMap:
        scratch = tempfile.mkdtemp(prefix="kustomize-helm-")
        try:
            return self._generate(Path(scratch))
        finally:
            shutil.rmtree(scratch, ignore_errors=True)

    def _generate(self, scratch: Path) -> ResMap:
        helm = _Helm(self._command, self._text("configHome") or str(scratch / "helm"))
        _check_version(helm.run("version", "--short").decode("utf-8", "replace"))
        if not (self._home / self._text("name")).is_dir():
            if not self._text("repo"):
                found = self._home / self._text("name")
                shown = str(found) if found.exists() else ""
                raise KustomizeError(f"no repo specified for pull, no chart found at '{shown}'")
            helm.run(*self._pull_arguments())
        values = scratch / f"{Path(self._text('name')).name}-kustomize-values.yaml"
        values.write_bytes(self._values())
        output = helm.run(*self._arguments(str(values)))
        try:
            resources = resources_from(output, self._schemas)
        except KustomizeError as error:
            raise error.within("could not parse bytes into resource map") from error
        for resource in resources:
            resource.set_annotation(HELM_GENERATED, "true")
        return ResMap(resources)

    def _values(self) -> bytes:
        """Those of the file, or those of the kustomization, or both."""
        inline = self._fields.get("valuesInline")
        if not inline:
            return self._loader.load(self._values_file)
        merge = self._text("valuesMerge") or "override"
        if merge == "replace":
            return to_yaml(inline)
        chart = parse(self._loader.load(self._values_file).decode("utf-8", "replace"))
        own = from_json(inline)
        patch, target = (own, chart) if merge == "override" else (chart, own)
        if patch is None or target is None:
            merged = patch or target
        else:
            merged = Merger(self._schemas, prepend=False).merge(patch, target)
        return to_yaml({} if merged is None else json_value(merged))

    def _pull_arguments(self) -> list[str]:
        repo, name = self._text("repo"), self._text("name")
        arguments = ["pull", "--untar", "--untardir", str(self._home)]
        arguments += [f"{repo.removesuffix('/')}/{name}"] if repo.startswith("oci://") else ["--repo", repo, name]
        arguments += ["--version", self._text("version")] if self._text("version") else []
        return [*arguments, *(["--devel"] if self._fields.get("devel") else ())]

    def _arguments(self, values: str) -> list[str]:
        arguments = ["template", self._text("releaseName") or "--generate-name", str(self._home / self._text("name"))]
        for flag, name in (("--namespace", "namespace"), ("--name-template", "nameTemplate")):
            arguments += [flag, self._text(name)] if self._text(name) else []
        for path in (values, *self._more_files):
            arguments += ["-f", path]
        for version in self._fields.get("apiVersions") or ():
            arguments += ["--api-versions", version]
        arguments += ["--kube-version", self._text("kubeVersion")] if self._text("kubeVersion") else []
        for flag, name in (
            ("--include-crds", "includeCRDs"),
            ("--skip-tests", "skipTests"),
            ("--no-hooks", "skipHooks"),
            ("--debug", "debug"),
            ("--devel", "devel"),
        ):
            arguments += [flag] if self._fields.get(name) else []
        return arguments


def _check_version(said: str) -> None:
    match = re.search(r"(?<!\d)v?(\d++(?:\.\d++)++)", said)
    if match is None:
        raise KustomizeError(f"cannot find version string in {said}")
    if match[1].split(".")[0] not in ("3", "4"):
        raise KustomizeError(f"this plugin requires helm V3 or V4 but got v{match[1]}")


class _Helm:
    def __init__(self, command: str, home: str) -> None:
        self._command = command
        self._environment = [
            f"HELM_CONFIG_HOME={home}",
            f"HELM_CACHE_HOME={home}/.cache",
            f"HELM_DATA_HOME={home}/.data",
        ]

    def run(self, *arguments: str) -> bytes:
        """What it printed. Raises KustomizeError."""
        environment = dict(pair.split("=", 1) for pair in self._environment)
        # The folders of a kustomization may be helm's configuration, but what lies in them is never run as a plugin.
        environment["HELM_PLUGINS"] = os.environ.get("HELM_PLUGINS", os.devnull)
        stdout, stderr = b"", ""
        try:
            done = subprocess.run(
                [self._command, *arguments],
                env={**os.environ, **environment},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
            )
            stdout, stderr = done.stdout, done.stderr.decode("utf-8", "replace")
            problem = f"exit status {done.returncode}" if done.returncode else ""
        except FileNotFoundError:
            named = "/" in self._command
            problem = (
                f"fork/exec {self._command}: no such file or directory"
                if named
                else f'exec: "{self._command}": executable file not found in $PATH'
            )
        except OSError as error:
            problem = f"fork/exec {self._command}: {(error.strerror or str(error)).lower()}"
        if not problem:
            return stdout
        if "--debug" in arguments:
            shown = stdout.decode("utf-8", "replace")
            stderr = f" Helm stack trace:\n{stderr}\nHelm template:\n{shown}\n"
        raise KustomizeError(
            f"{f'{stderr}: ' if stderr else ''}unable to run: '{self._command} {' '.join(arguments)}' with "
            f"env=[{' '.join(self._environment)}] (is '{self._command}' installed?): {problem}"
        )
