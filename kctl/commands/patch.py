"""`kctl patch`. Kubernetes: kubectl/pkg/cmd/patch/patch.go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kctl import standard_flags
from kctl.command import Command
from kctl.errors import KctlError, raise_all
from kctl.flags import Flag, switch
from kctl.printers.choosing import output_flags

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.resolve import Info
    from kctl.session import Session
    from localplane.client.resources import PatchType

Object = dict[str, Any]

_TYPES = ("json", "merge", "strategic")


async def run(session: Session, given: Given) -> None:
    from kctl.dry_running import dry_run
    from kctl.resolve import Query, resolve
    from localplane.apimachinery.errors import APIError

    strategy = dry_run(session)
    _check(given, strategy)
    patching = _Patching(session, given, strategy, _read(given))
    query = Query.of(given)._replace(flatten=True, keep_going=True, local=given.is_on("local"))
    found = await resolve(session, query)
    count = 0
    async for info in found.visit():
        count += 1
        try:
            await patching.patch(info)
        except (APIError, KctlError) as error:
            found.errors.append(error)
    raise_all(found.errors)
    if not count:
        raise KctlError("no objects passed to patch")


def _check(given: Given, strategy: str) -> None:
    from localplane.apimachinery.gotext import go_quote

    if given.text("patch") and given.text("patch-file"):
        raise KctlError("cannot specify --patch and --patch-file together")
    if not given.text("patch") and not given.text("patch-file"):
        raise KctlError("must specify --patch or --patch-file containing the contents of the patch")
    if given.is_on("local") and given.arguments:
        raise KctlError("cannot specify --local and server resources")
    if given.is_on("local") and strategy == "server":
        raise KctlError("cannot specify --local and --dry-run=server - did you mean --dry-run=client?")
    kind = given.text("type")
    if kind and kind.lower() not in _TYPES:
        raise KctlError(f"--type must be one of [{' '.join(_TYPES)}], not {go_quote(kind)}")


def _read(given: Given) -> bytes:
    """The patch as JSON. What begins with a brace is sent as it is: the server has words for it."""
    from pathlib import Path

    from localplane.apimachinery.gotext import go_quote
    from localplane.apimachinery.serializers import SerializationError, parse_yaml, to_json

    text = given.text("patch").encode()
    if file := given.text("patch-file"):
        try:
            text = Path(file).read_bytes()
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise KctlError(f"unable to read patch file: open {file}: {reason}") from error
    if text.lstrip().startswith(b"{"):
        return text
    try:
        return to_json(parse_yaml(text).value)
    except SerializationError as error:
        raise KctlError(f"unable to parse {go_quote(given.text('patch'))}: {error}") from error


class _Patching:
    def __init__(self, session: Session, given: Given, strategy: str, patch: bytes) -> None:
        self._session = session
        self._given = given
        self._strategy = strategy
        self._patch = patch

    @property
    def _type(self) -> PatchType:
        from localplane.client.resources import PatchType

        kind = self._given.text("type").lower() or "strategic"
        return {"json": PatchType.JSON, "merge": PatchType.MERGE, "strategic": PatchType.STRATEGIC}[kind]

    async def patch(self, info: Info) -> None:
        before = info.object or {}
        if self._given.is_on("local") or self._strategy == "client":
            after = await self._locally(before)
        else:
            after = await self._send(info)
        from kctl.printers import results

        done = "patched" if after != before else "patched (no change)"
        results.printer_for(self._given, done).print(after, self._session.write)

    async def _send(self, info: Info) -> Object:
        from localplane.apimachinery.errors import UnsupportedMediaType

        try:
            return await info.resource.patch(
                info.name,
                self._patch,
                self._type,
                subresource=self._given.text("subresource"),
                dry_run=self._strategy == "server",
                field_manager=self._given.text("field-manager"),
            )
        except UnsupportedMediaType as error:
            kind = info.rest_mapping.kind
            what = f"{kind.group}/{kind.version}, Kind={kind.kind}"
            raise KctlError(f"{self._type} is not supported by {what}: {error.message}") from error

    async def _locally(self, obj: Object) -> Object:
        from localplane.apimachinery.patch import PatchError
        from localplane.client.resources import PatchType

        try:
            match self._type:
                case PatchType.JSON:
                    return _json_patched(obj, self._patch)
                case PatchType.MERGE:
                    from localplane.apimachinery.patch import merge_patch

                    merged: Object = merge_patch.apply(merge_patch.decode_merge_patch(self._patch), obj)
                    return merged
                case _:
                    return await self._strategically(obj)
        except PatchError as error:
            raise KctlError(str(error)) from error

    async def _strategically(self, obj: Object) -> Object:
        import orjson

        from kctl.apply.schemas import PatchSchemas
        from localplane.apimachinery.groups import GroupVersionKind
        from localplane.apimachinery.patch.strategic import merge
        from localplane.apimachinery.patch.values import copied

        group, _, version = str(obj.get("apiVersion", "")).rpartition("/")
        kind = GroupVersionKind(group, version, str(obj.get("kind", "")))
        node = await PatchSchemas(self._session).lookup(kind)
        if node is None:
            shown = f"{group}/{version}, Kind={kind.kind}"
            raise KctlError(f"strategic merge patch is not supported for {shown} locally, try --type merge")
        try:
            patch = orjson.loads(self._patch)
        except orjson.JSONDecodeError as error:
            raise KctlError("invalid JSON document") from error
        if not isinstance(patch, dict):
            raise KctlError("invalid JSON document")
        return merge(node, copied(obj), patch)


def _json_patched(obj: Object, patch: bytes) -> Object:
    from localplane.apimachinery.patch import json_patch

    patched: Object = json_patch.apply(json_patch.decode_json_patch(patch, strict=False), obj)
    return patched


COMMAND = Command(
    "patch",
    "patch (-f FILENAME | TYPE NAME) [-p PATCH|--patch-file FILE]",
    "Update fields of a resource",
    run=run,
    flags=(
        *output_flags(),
        Flag("patch", usage="The patch to be applied to the resource JSON file.", short="p"),
        Flag("patch-file", usage="A file containing a patch to be applied to the resource."),
        Flag("type", "text", "strategic", f"The type of patch being provided; one of [{' '.join(_TYPES)}]"),
        standard_flags.DRY_RUN,
        *standard_flags.filename_flags("identifying the resource to update"),
        switch("local", "If true, patch will operate on the content of the file, not the server-side resource."),
        standard_flags.field_manager("kctl-patch"),
        standard_flags.subresource("If specified, patch will operate on the subresource of the requested object."),
    ),
    description="""\
Update fields of a resource using strategic merge patch, a JSON merge patch, or a JSON patch.

JSON and YAML formats are accepted.

Note: Strategic merge patch is not supported for custom resources.""",
    examples="""\
# Partially update a node using a strategic merge patch, specifying the patch as JSON
kctl patch node k8s-node-1 -p '{"spec":{"unschedulable":true}}'

# Partially update a node using a strategic merge patch, specifying the patch as YAML
kctl patch node k8s-node-1 -p $'spec:\\n unschedulable: true'

# Partially update a node identified by the type and name specified in "node.json" using strategic merge patch
kctl patch -f node.json -p '{"spec":{"unschedulable":true}}'

# Update a container's image; spec.containers[*].name is required because it's a merge key
kctl patch pod valid-pod -p '{"spec":{"containers":[{"name":"kubernetes-serve-hostname","image":"new image"}]}}'

# Update a container's image using a JSON patch with positional arrays
kctl patch pod valid-pod --type='json' -p='[{"op": "replace", "path": "/spec/containers/0/image", "value":"new image"}]'

# Update a deployment's replicas through the 'scale' subresource using a merge patch
kctl patch deployment nginx-deployment --subresource='scale' --type='merge' -p '{"spec":{"replicas":2}}'""",
)
