"""Config maps and secrets out of literals and files. Kubernetes: ConfigMapGenerator, SecretGenerator, api/kv."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kctl.kustomize.errors import KustomizeError
from kctl.kustomize.loading.loader import Loader
from kctl.kustomize.merging import schemas
from kctl.kustomize.nodes.node import BOOL, Map, Scalar, text
from kctl.kustomize.resources.data_maps import put_config_map_data, put_secret_data
from kctl.kustomize.resources.resmap import ResMap
from kctl.kustomize.resources.resource import BEHAVIOR, NEEDS_HASH, Resource
from localplane.apimachinery.golang.text import go_quote

Fields = Mapping[str, Any]


class DataGenerator:
    """`kind` is ConfigMap or Secret; `fields` is an entry of their generators."""

    def __init__(self, kind: str, fields: Fields, loader: Loader, schemas: schemas.Schemas) -> None:
        self._kind = kind
        self._fields = fields
        self._loader = loader
        self._schemas = schemas

    def generate(self) -> ResMap:
        name, namespace = (str(self._fields.get(one) or "") for one in ("name", "namespace"))
        if not name:
            raise KustomizeError("a configmap must have a name")
        node = Map({"apiVersion": text("v1"), "kind": text(self._kind), "metadata": Map({"name": text(name)})})
        if self._kind == "Secret":
            node["type"] = text(str(self._fields.get("type") or "") or "Opaque")
        resource = Resource(node, self._schemas)
        resource.set_namespace(namespace)
        put = put_config_map_data if self._kind == "ConfigMap" else put_secret_data
        put(node, self._pairs(name))
        options = self._fields.get("options") or {}
        resource.set_labels(options.get("labels") or {})
        resource.set_annotations(options.get("annotations") or {})
        if options.get("immutable"):
            node["immutable"] = Scalar("true", BOOL)
        if not options.get("disableNameSuffixHash"):
            resource.enable(NEEDS_HASH)
        behavior = str(self._fields.get("behavior") or "")
        known = behavior if behavior in ("replace", "merge", "create") else "unspecified"
        resource.set_annotations({**resource.annotations(), BEHAVIOR: known})
        return ResMap([resource])

    def _pairs(self, name: str) -> dict[str, bytes]:
        pairs: dict[str, bytes] = {}
        try:
            found = [*self._from_env_files(), *self._from_literals(), *self._from_files()]
        except KustomizeError as error:
            raise error.within("loading KV pairs") from error
        for key, value in found:
            if key in pairs:
                raise KustomizeError(f"configmap {name} illegally repeats the key `{key}`")
            pairs[key] = value
        return pairs

    def _from_env_files(self) -> list[tuple[str, bytes]]:
        paths = self._fields.get("envs") or []
        try:
            return [pair for path in paths for pair in env_pairs(self._loader.load(path))]
        except KustomizeError as error:
            raise error.within(f"env source files: [{' '.join(paths)}]") from error

    def _from_literals(self) -> list[tuple[str, bytes]]:
        literals = self._fields.get("literals") or []
        pairs = []
        for literal in literals:
            key, equals, value = literal.partition("=")
            if not equals or not key:
                raise KustomizeError(
                    f"literal sources [{' '.join(literals)}]: invalid literal source {literal}, expected key=value"
                )
            pairs.append((key, _unquoted(value).encode()))
        return pairs

    def _from_files(self) -> list[tuple[str, bytes]]:
        files = self._fields.get("files") or []
        try:
            return [(key, self._loader.load(path)) for key, path in map(file_source, files)]
        except KustomizeError as error:
            raise error.within(f"file sources: [{' '.join(files)}]") from error


def _unquoted(value: str) -> str:
    quoted = len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if quoted else value


def file_source(source: str) -> tuple[str, str]:
    """`key=path`, or a path whose last part is the key. Raises KustomizeError."""
    count = source.count("=")
    if count == 0:
        return source.rstrip("/").rsplit("/", 1)[-1] or ("/" if source else "."), source
    if count > 1:
        raise KustomizeError(f"source {go_quote(source)} key name or file path contains '='")
    key, _, path = source.partition("=")
    if not key:
        raise KustomizeError(f"missing key name for file path {go_quote(path)} in source {go_quote(source)}")
    if not path:
        raise KustomizeError(f"missing file path for key name {go_quote(key)} in source {go_quote(source)}")
    return key, path


def env_pairs(data: bytes) -> list[tuple[str, bytes]]:
    """The lines of a file of `KEY=value`; a line that is only a key has an empty value."""
    pairs = []
    for number, line in enumerate(data.replace(b"\r\n", b"\n").removesuffix(b"\r").split(b"\n")):
        try:
            shown = line.decode("utf-8")
        except UnicodeDecodeError:
            numbers = " ".join(map(str, line))
            said = line.decode("utf-8", "replace")
            raise KustomizeError(f"line [{numbers}] has invalid utf8 bytes : {said}") from None
        shown = (shown.removeprefix("\ufeff") if number == 0 else shown).lstrip()
        if shown and not shown.startswith("#"):
            key, _, value = shown.partition("=")
            if key:
                pairs.append((key, value.encode()))
    return pairs


def merged_options(own: Fields | None, everyone: Fields | None) -> Fields | None:
    """`options` of a generator with `generatorOptions` for all of them."""
    if everyone is None:
        return own
    own = own or {}
    merged: dict[str, Any] = {
        name: {**(everyone.get(name) or {}), **(own.get(name) or {})} for name in ("labels", "annotations")
    }
    for name in ("disableNameSuffixHash", "immutable"):
        merged[name] = bool(own.get(name) or everyone.get(name))
    return merged
