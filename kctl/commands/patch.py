"""`kctl patch`. Kubernetes: kubectl/pkg/cmd/patch/patch.go."""

from __future__ import annotations

import pathlib

from kctl.changes import dry_run
from kctl.changes.apply import schemas
from kctl.changes.change_cause import RECORD, recorded
from kctl.command_line import standard_flags
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet, switch
from kctl.errors import KctlError, raise_all
from kctl.objects import Info, Query, resolve
from kctl.objects.lookup import MISSING_RESOURCE
from kctl.printers import results
from kctl.printers.choice import output_flags
from kctl.session.session import Session
from localplane.apimachinery import patch as apimachinery_patch
from localplane.apimachinery import serializers
from localplane.apimachinery.errors import APIError, UnsupportedMediaType
from localplane.apimachinery.golang.text import go_json, go_quote
from localplane.apimachinery.groups import GroupVersionKind
from localplane.apimachinery.objects import JSONObject, sorted_keys
from localplane.apimachinery.patch import json_patch, merge_patch, strategic, values
from localplane.apis import patch_nodes
from localplane.client.rest import resources

_TYPES = ("json", "merge", "strategic")


async def run(session: Session, flags: FlagSet) -> None:
    strategy = dry_run.dry_run(session)
    if not flags.is_on("local"):
        _ = session.namespace  # a context that is not there is told of in the words of who asks for a namespace
    _check(flags, strategy)
    patching = _Patching(session, flags, strategy, _read(flags))
    query = Query.of(flags)._replace(flatten=True, keep_going=True, local=flags.is_on("local"))
    result = await resolve(session, query)
    count = 0
    async for info in result.visit():
        count += 1
        try:
            await patching.patch(info)
        except (APIError, KctlError) as error:
            result.errors.append(error)
    raise_all(result.errors)
    if not count:
        raise KctlError("no objects passed to patch")


def _check(flags: FlagSet, strategy: str) -> None:
    if flags.text("patch") and flags.text("patch-file"):
        raise KctlError("cannot specify --patch and --patch-file together")
    if not flags.text("patch") and not flags.text("patch-file"):
        raise KctlError("must specify --patch or --patch-file containing the contents of the patch")
    if flags.is_on("local") and flags.arguments:
        raise KctlError("cannot specify --local and server resources")
    if flags.is_on("local") and not flags.texts("filename") and not flags.text("kustomize"):
        raise KctlError(MISSING_RESOURCE)
    if flags.is_on("local") and strategy == "server":
        raise KctlError("cannot specify --local and --dry-run=server - did you mean --dry-run=client?")
    kind = flags.text("type")
    if kind and kind.lower() not in _TYPES:
        raise KctlError(f"--type must be one of [{' '.join(_TYPES)}], not {go_quote(kind)}")


def _read(flags: FlagSet) -> bytes:
    """The patch as JSON. What begins with a brace is sent as it is: the server has words for it."""
    text = flags.text("patch").encode()
    if file := flags.text("patch-file"):
        try:
            text = pathlib.Path(file).read_bytes()
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            doing = "read" if isinstance(error, IsADirectoryError) else "open"
            raise KctlError(f"unable to read patch file: {doing} {file}: {reason}") from error
    if text.lstrip().startswith(b"{"):
        return text
    try:
        return go_json(sorted_keys(serializers.parse_yaml(text).value)).encode()
    except serializers.SerializationError as error:
        raise KctlError(f"unable to parse {go_quote(flags.text('patch'))}: {error}") from error


class _Patching:
    def __init__(self, session: Session, flags: FlagSet, strategy: str, patch: bytes) -> None:
        self._session = session
        self._flags = flags
        self._strategy = strategy
        self._patch = patch

    @property
    def _type(self) -> resources.PatchType:
        kind = self._flags.text("type").lower() or "strategic"
        return {
            "json": resources.PatchType.JSON,
            "merge": resources.PatchType.MERGE,
            "strategic": resources.PatchType.STRATEGIC,
        }[kind]

    @property
    def _is_local(self) -> bool:
        return self._flags.is_on("local") or self._strategy == "client"

    async def patch(self, info: Info) -> None:
        before = info.object or {}
        if self._is_local:
            after = await self._locally(before)
        else:
            after = await self._send(info)
        done = "patched" if after != before else "patched (no change)"
        if after is not before and not self._is_local:
            after = await self._record(info, after)
        results.printer_for(self._flags, done).print(after, self._session.write_object)

    async def _send(self, info: Info) -> JSONObject:
        try:
            return await info.resource.patch(
                info.name,
                self._patch,
                self._type,
                subresource=self._flags.text("subresource"),
                dry_run=self._strategy == "server",
                field_manager=self._flags.text("field-manager"),
            )
        except UnsupportedMediaType as error:
            kind = info.rest_mapping.kind
            what = f"{kind.group}/{kind.version}, Kind={kind.kind}"
            raise KctlError(f"{self._type} is not supported by {what}: {error.message}") from error

    async def _record(self, info: Info, obj: JSONObject) -> JSONObject:
        """With --record, once more. What goes wrong then goes unsaid."""
        cause = recorded(self._session)
        if not cause:
            return obj
        known = (obj.get("metadata") or {}).get("annotations") or {}
        if known | cause == known:
            return obj
        try:
            return await info.resource.patch(
                info.name,
                {"metadata": {"annotations": cause}},
                resources.PatchType.MERGE,
                subresource=self._flags.text("subresource"),
                dry_run=self._strategy == "server",
                field_manager=self._flags.text("field-manager"),
            )
        except APIError:
            return obj

    async def _locally(self, obj: JSONObject) -> JSONObject:
        try:
            match self._type:
                case resources.PatchType.JSON:
                    return _json_patched(obj, self._patch)
                case resources.PatchType.MERGE:
                    return _merged(obj, self._patch)
                case _:
                    return await self._strategically(obj)
        except apimachinery_patch.PatchError as error:
            raise KctlError(str(error)) from error

    async def _strategically(self, obj: JSONObject) -> JSONObject:
        import orjson

        group, _, version = str(obj.get("apiVersion", "")).rpartition("/")
        kind = GroupVersionKind(group, version, str(obj.get("kind", "")))
        node = patch_nodes.patch_node(obj) or await schemas.PatchSchemas(self._session).lookup(kind)
        if node is None:
            shown = f"{group}/{version}, Kind={kind.kind}"
            raise KctlError(f"strategic merge patch is not supported for {shown} locally, try --type merge")
        try:
            patch = orjson.loads(self._patch)
        except orjson.JSONDecodeError as error:
            raise KctlError("invalid JSON document") from error
        if not isinstance(patch, dict):
            raise KctlError("invalid JSON document")
        return strategic.merge(node, values.copied(obj), patch)


def _merged(obj: JSONObject, patch: bytes) -> JSONObject:
    import orjson

    try:
        value = orjson.loads(patch)
    except orjson.JSONDecodeError:
        value = None
    if isinstance(value, list):
        raise apimachinery_patch.PatchError("json: cannot unmarshal array into Go value of type unstructured.detector")
    if not isinstance(value, dict):
        raise apimachinery_patch.PatchError("Invalid JSON Patch")
    merged: JSONObject = merge_patch.apply(value, obj)
    return merged


def _json_patched(obj: JSONObject, patch: bytes) -> JSONObject:
    patched: JSONObject = json_patch.apply(json_patch.decode_json_patch(patch, strict=False), obj)
    return patched


COMMAND = Command(
    "patch",
    "patch (-f FILENAME | TYPE NAME) [-p PATCH|--patch-file FILE]",
    "Change some fields of an object",
    run=run,
    flags=(
        *output_flags(),
        Flag("patch", usage="What to change, as YAML or JSON.", short="p"),
        Flag("patch-file", usage="A file that says what to change, instead of -p."),
        Flag("type", "text", "strategic", "How to read it: json, merge or strategic."),
        standard_flags.DRY_RUN,
        RECORD,
        *standard_flags.filename_flags("that say which objects to change."),
        switch("local", "Change what is in the file, and ask no server."),
        standard_flags.field_manager("kubectl-patch"),
        standard_flags.subresource("Change a part of the object alone, such as status or scale."),
    ),
    description="""\
Three ways to say what should change:

  strategic  a piece of the object; lists such as containers are merged by their keys. Not for custom resources.
  merge      a piece of the object; lists are replaced, and null takes a field away.
  json       a list of operations: add, remove, replace, move, copy, test.""",
    examples="""\
# Nothing more is to run on a node
kctl patch node worker-1 -p 'spec: {unschedulable: true}'

# Another image for one of the containers, by its name
kctl patch deployment web -p '{"spec":{"template":{"spec":{"containers":[{"name":"app","image":"web:1.1"}]}}}}'

# A finalizer that nobody removes any more
kctl patch widget one --type=merge -p '{"metadata":{"finalizers":null}}'

# By position
kctl patch pod web-0 --type=json -p '[{"op":"replace","path":"/spec/containers/0/image","value":"web:1.1"}]'

# Through the scale subresource
kctl patch deployment web --subresource=scale --type=merge -p 'spec: {replicas: 3}'

# Only the file
kctl patch --local -f web.yaml -p 'spec: {replicas: 3}' -o yaml""",
)
