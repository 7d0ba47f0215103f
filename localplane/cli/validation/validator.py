"""Objects -> findings. What others depend on is stored first, whatever the order of the files: namespaces, definitions,
policies and what they compare with. Everything else is created as a dry run, strictly, as an administrator would."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from localplane.apimachinery.errors import AlreadyExists, APIError
from localplane.apimachinery.objects import JSONObject
from localplane.client import GroupVersionResource, ResourceClient
from localplane.client.errors import ClientError
from localplane.client.transport.headers import ServerWarning
from localplane.compose.offline import OfflineCluster, open_offline

from .documents import ManifestObject, read_objects
from .findings import Finding, Level, Rule, Verdict
from .refusals import findings_of
from .sources import Source

_ADMISSION: Final = "admissionregistration.k8s.io"
_POLICIES: Final = ("ValidatingAdmissionPolicy", "MutatingAdmissionPolicy")
_DEFINITION: Final = ("apiextensions.k8s.io", "CustomResourceDefinition")
_NAMESPACE: Final = ("", "Namespace")
_STAGES: Final[Mapping[tuple[str, str], int]] = {
    _NAMESPACE: 0,
    _DEFINITION: 1,
    **{(_ADMISSION, kind): 2 for kind in _POLICIES},
    **{(_ADMISSION, f"{kind}Binding"): 2 for kind in _POLICIES},
    ("", "LimitRange"): 2,
}
"""Who is stored, and in which order. A stage later come the parameters of policies."""
_OF_A_FRESH_CLUSTER: Final = ("default", "kube-system", "kube-public", "kube-node-lease")


@dataclass(frozen=True, slots=True)
class ValidationOptions:
    """`namespace` is where objects are that name none. With `ignore_missing_schemas`, objects of kinds that nobody
    knows are passed over."""

    namespace: str = "default"
    ignore_missing_schemas: bool = False


@dataclass(frozen=True, slots=True)
class _Kind:
    resource: GroupVersionResource
    namespaced: bool


async def validate(sources: Iterable[Source | Finding], options: ValidationOptions | None = None) -> Verdict:
    """What a server would say to all of these together."""
    verdict = Verdict()
    told: list[Finding | ManifestObject] = []
    for source in sources:
        verdict.files += 1
        told += [source] if isinstance(source, Finding) else read_objects(source)
    manifests = [each for each in told if isinstance(each, ManifestObject)]
    verdict.objects = len(manifests)
    validator = _Validator(manifests, options or ValidationOptions())
    await validator.run()
    verdict.skipped = [manifests[index].subject for index in sorted(validator.skipped)]
    position = 0
    for each in told:
        if isinstance(each, Finding):
            verdict.findings.append(each)
        else:
            verdict.findings += sorted(validator.findings[position], key=lambda one: (one.place.line, one.place.column))
            position += 1
    return verdict


class _Validator:
    """`findings` are by the index of the object."""

    def __init__(self, manifests: Sequence[ManifestObject], options: ValidationOptions) -> None:
        self._manifests = manifests
        self._options = options
        self._current = -1
        self._stored: set[int] = set()
        self._has_policies = False
        self._bad_namespaces: dict[str, str] = {}
        self.findings: defaultdict[int, dict[Finding, None]] = defaultdict(dict)  # each once, in their order
        self.skipped: set[int] = set()

    async def run(self) -> None:
        if not self._manifests:
            return
        async with open_offline(self._warned) as cluster:
            kinds = _Kinds(cluster)
            await self._store_stages(cluster, kinds)
            for index in range(len(self._manifests)):
                if index not in self._stored or self._has_policies:
                    await self._rehearse(cluster, kinds, index)

    async def _store_stages(self, cluster: OfflineCluster, kinds: _Kinds) -> None:
        for stage, indices in enumerate(_stages(self._manifests)):
            for index in indices:
                await self._store(cluster, kinds, index)
            if stage == _STAGES[_NAMESPACE]:
                await self._make_namespaces(cluster)
            elif stage == _STAGES[_DEFINITION]:
                kinds.forget()
            await cluster.catch_up()

    async def _make_namespaces(self, cluster: OfflineCluster) -> None:
        """Those that objects are in, and those that every cluster has, unless the files have them."""
        named = dict.fromkeys(each.namespace for each in self._manifests if each.namespace)
        namespaces = cluster.client.resource(GroupVersionResource("", "v1", "namespaces"))
        for name in dict.fromkeys((*_OF_A_FRESH_CLUSTER, self._options.namespace, *named)):
            try:
                await namespaces.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
            except AlreadyExists:
                pass
            except APIError as error:
                why = error.causes[0].message if error.causes else error.message
                self._bad_namespaces[name] = why

    async def _store(self, cluster: OfflineCluster, kinds: _Kinds, index: int) -> None:
        manifest = self._manifests[index]
        value = manifest.value
        if (manifest.group, manifest.kind) == _DEFINITION and _converts_by_webhook(value):
            # It has to be right, but nobody will be asked to convert anything.
            if not await self._rehearse(cluster, kinds, index):
                return
            value = {**value, "spec": {**value["spec"], "conversion": {"strategy": "None"}}}
        if not await self._write(cluster, kinds, index, value, dry_run=False):
            return
        self._stored.add(index)
        self._has_policies = self._has_policies or manifest.kind in _POLICIES
        if (manifest.group, manifest.kind) == _DEFINITION:
            await self._check_is_established(cluster, kinds, manifest, index)

    async def _rehearse(self, cluster: OfflineCluster, kinds: _Kinds, index: int) -> bool:
        """Whether it would be taken. One that is known to be wrong is not asked about again."""
        if any(finding.level is Level.ERROR for finding in self.findings[index]):
            return False
        return await self._write(cluster, kinds, index, self._manifests[index].value, dry_run=True)

    async def _write(
        self, cluster: OfflineCluster, kinds: _Kinds, index: int, value: JSONObject, *, dry_run: bool
    ) -> bool:
        manifest = self._manifests[index]
        kind = kinds.find(manifest)
        if kind is None:
            self._unknown(kinds, index)
            return False
        namespace = (manifest.namespace or self._options.namespace) if kind.namespaced else ""
        if namespace in self._bad_namespaces:
            text = f"metadata.namespace: {self._bad_namespaces[namespace]}"
            self._found(index, manifest.finding(Rule.INVALID, text, field_path="metadata.namespace"))
            return False
        self._current = index
        resource = cluster.client.resource(kind.resource, namespace)
        try:
            await _create(resource, value, dry_run=dry_run)
        except AlreadyExists:
            if not dry_run:
                text = "it is given twice: here a second time, and the first counts"
                self._found(index, manifest.finding(Rule.DEFINED_TWICE, text, level=Level.WARNING))
            return dry_run
        except APIError as error:
            for finding in findings_of(error, manifest):
                self._found(index, finding)
            if any(finding.rule is Rule.UNKNOWN_FIELD for finding in self.findings[index]):
                await self._look_at_the_rest(resource, index, value)
            return False
        except (ClientError, ValueError) as error:
            self._found(index, manifest.finding(Rule.REFUSED, str(error)))
            return False
        return True

    async def _look_at_the_rest(self, resource: ResourceClient, index: int, value: JSONObject) -> None:
        """A server that minds unknown fields says nothing else; what else is wrong should be known, too."""
        try:
            await _create(resource, value, dry_run=True, field_validation="Ignore")
        except AlreadyExists:
            pass
        except APIError as error:
            for finding in findings_of(error, self._manifests[index]):
                self._found(index, finding)

    async def _check_is_established(
        self, cluster: OfflineCluster, kinds: _Kinds, manifest: ManifestObject, index: int
    ) -> None:
        kind = kinds.find(manifest)
        assert kind is not None, "it was written"
        stored = await cluster.client.resource(kind.resource).get(manifest.name)
        conditions = {each["type"]: each for each in stored["status"]["conditions"] or ()}
        if conditions.get("Established", {}).get("status") == "True":
            return
        bad = [each for each in conditions.values() if each["status"] != "True" and each["type"] != "Established"]
        why = "; ".join(f"{each['type']}: {each['message']}" for each in bad) or "it is not established"
        self._found(index, manifest.finding(Rule.NOT_ESTABLISHED, why))

    def _unknown(self, kinds: _Kinds, index: int) -> None:
        manifest = self._manifests[index]
        others = kinds.others(manifest)
        same_group = [version for version in others if version.rpartition("/")[0] == manifest.group]
        if self._options.ignore_missing_schemas and not same_group:
            self.skipped.add(index)
            return
        text = f'there is no kind "{manifest.kind}" in version "{manifest.api_version}"'
        if others:
            text += f": it is served as {', '.join(others)}"
        else:
            text += ": name its definition with --crds, or pass such objects over with --ignore-missing-schemas"
        self._found(index, manifest.finding(Rule.UNKNOWN_KIND, text, field_path="kind" if not others else "apiVersion"))

    def _found(self, index: int, finding: Finding) -> None:
        self.findings[index][finding] = None

    def _warned(self, warning: ServerWarning) -> None:
        if self._current >= 0:
            manifest = self._manifests[self._current]
            self._found(self._current, manifest.finding(Rule.WARNING, warning.text, level=Level.WARNING))


async def _create(
    resource: ResourceClient, value: JSONObject, *, dry_run: bool, field_validation: str = "Strict"
) -> None:
    await resource.create(value, dry_run=dry_run, field_validation=field_validation, field_manager="kctl")


class _Kinds:
    """Which resource an object belongs to. Worked out again when definitions have been stored."""

    def __init__(self, cluster: OfflineCluster) -> None:
        self._cluster = cluster
        self._known: dict[tuple[str, str], _Kind] = {}
        self._versions: dict[str, list[str]] = {}

    def forget(self) -> None:
        self._known = {}

    def find(self, manifest: ManifestObject) -> _Kind | None:
        return self._read().get((manifest.api_version, manifest.kind))

    def others(self, manifest: ManifestObject) -> list[str]:
        """The versions in which there is a kind of this name."""
        self._read()
        return self._versions.get(manifest.kind, [])

    def _read(self) -> dict[tuple[str, str], _Kind]:
        if not self._known:
            self._versions = {}
            for group in self._cluster.installer.describe():
                for version in group.versions:
                    for resource in version.resources:
                        if "create" in resource.verbs:
                            api_version = f"{group.name}/{version.version}".removeprefix("/")
                            name = GroupVersionResource(group.name, version.version, resource.name)
                            self._known[api_version, resource.kind] = _Kind(name, resource.namespaced)
                            self._versions.setdefault(resource.kind, []).append(api_version)
        return self._known


def _stages(manifests: Sequence[ManifestObject]) -> list[list[int]]:
    """The indices of those that are stored, stage by stage."""
    parameters = {
        (str(kind.get("apiVersion")), str(kind.get("kind")))
        for manifest in manifests
        if manifest.group == _ADMISSION and manifest.kind in _POLICIES and (kind := _param_kind(manifest.value))
    }
    last = max(_STAGES.values()) + 1
    found: list[list[int]] = [[] for _ in range(last + 1)]
    for index, manifest in enumerate(manifests):
        stage = _STAGES.get((manifest.group, manifest.kind))
        if stage is None and (manifest.api_version, manifest.kind) in parameters:
            stage = last
        if stage is not None:
            found[stage].append(index)
    return found


def _param_kind(policy: JSONObject) -> JSONObject | None:
    spec = policy.get("spec")
    kind = spec.get("paramKind") if isinstance(spec, dict) else None
    return kind if isinstance(kind, dict) else None


def _converts_by_webhook(definition: JSONObject) -> bool:
    spec = definition.get("spec")
    conversion = spec.get("conversion") if isinstance(spec, dict) else None
    return isinstance(conversion, dict) and conversion.get("strategy") == "Webhook"
