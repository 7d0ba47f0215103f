"""Keys and values for config maps and secrets: literals, files, directories, env files.

Kubernetes: kubectl/pkg/util/util.go and kubectl/pkg/cmd/util/env_file.go.

`kctl create configmap`. Kubernetes: kubectl/pkg/cmd/create/create_configmap.go.
"""

from __future__ import annotations

import base64
import os
import stat
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from kctl.changes.create.generator import GENERATOR_FLAGS, make, metadata, the_name
from kctl.changes.launch.names import variable_errors
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet, switch
from kctl.errors import KctlError
from kctl.kustomize.resources import hashes
from kctl.session.session import Session
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.names import config_map_key
from localplane.apimachinery.objects import JSONObject

Add = Callable[[str, bytes], None]


def add_literals(literals: Iterable[str], add: Add) -> None:
    for source in literals:
        key, value = literal(source)
        add(key, value.encode("utf-8", "surrogateescape"))


def literal(source: str) -> tuple[str, str]:
    key, equals, value = source.partition("=")
    if not key or not equals:
        raise KctlError(f"invalid literal source {source}, expected key=value")
    return key, value


def add_files(sources: Iterable[str], add: Add) -> None:
    """Each is a file, `key=file`, or a directory, whose regular files are taken in order."""
    for source in sources:
        key, path = _file_source(source)
        if not _is_directory(path):
            add(key, _content(path))
            continue
        if "=" in source:
            raise KctlError("cannot give a key name for a directory path")
        for entry in sorted(os.scandir(path), key=lambda one: one.name):
            if entry.is_file(follow_symlinks=False):
                add(entry.name, _content(os.path.join(path, entry.name)))  # noqa: PTH118 - as it was typed


def _file_source(source: str) -> tuple[str, str]:
    match source.count("="):
        case 0:
            return source.rstrip("/").rpartition("/")[2] or source, source
        case 1:
            key, _, path = source.partition("=")
            if not key:
                raise KctlError(f"key name for file path {path} missing")
            if not path:
                raise KctlError(f"file path for key name {key} missing")
            return key, path
    raise KctlError("key names or file paths cannot contain '='")


def _is_directory(path: str) -> bool:
    try:
        return stat.S_ISDIR(Path(path).stat().st_mode)
    except OSError as error:
        raise KctlError(f"error reading {path}: {reason(error)}") from error


def _content(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise KctlError(f"open {path}: {reason(error)}") from error


def failed_call(error: OSError) -> str:
    """Which of Go's calls fails: a directory can be opened, but not read."""
    return "read" if isinstance(error, IsADirectoryError) else "open"


def reason(error: OSError) -> str:
    """As Go words it."""
    return (error.strerror or str(error)).lower()


def add_env_files(paths: Iterable[str], add: Add, *, what: str) -> None:
    """Lines of `KEY=value`; a key alone takes its value from the environment. `what` is `config` or `secret`."""
    for path in paths:
        if _is_directory(path):
            raise KctlError(f"env {what} file cannot be a directory")
        for number, line in enumerate(_content(path).split(b"\n")):
            pair = _env_line(line.removesuffix(b"\r"), path, number)
            if pair is not None:
                add(*pair)


def _env_line(line: bytes, path: str, number: int) -> tuple[str, bytes] | None:
    try:
        text = line.decode()
    except UnicodeDecodeError:
        listed = " ".join(map(str, line))
        raise KctlError(f"env file {path} contains invalid utf8 bytes at line {number + 1}: [{listed}]") from None
    if number == 0:
        text = text.removeprefix("\ufeff")
    text = text.lstrip()
    if not text or text.startswith("#"):
        return None
    key, equals, value = text.partition("=")
    if problems := variable_errors(key):
        raise KctlError(f"{go_quote(key)} is not a valid key name: {';'.join(problems)}")
    return key, (value if equals else os.environ.get(key, "")).encode()


async def run(session: Session, flags: FlagSet) -> None:
    name = the_name(session, flags)
    check_sources(flags)
    await make(session, flags, config_map(session, flags, name), "configmaps", failure="failed to create configmap:")


def check_sources(flags: FlagSet) -> None:
    if flags.texts("from-env-file") and (flags.texts("from-file") or flags.texts("from-literal")):
        raise KctlError("from-env-file cannot be combined with from-file or from-literal")


def config_map(session: Session, flags: FlagSet, name: str) -> JSONObject:
    data: dict[str, str] = {}
    binary: dict[str, str] = {}

    def add(key: str, value: bytes) -> None:
        if problems := config_map_key(key):
            raise KctlError(f"{go_quote(key)} is not a valid key name for a ConfigMap: {','.join(problems)}")
        for where, present in (("Data", data), ("BinaryData", binary)):
            if key in present:
                raise KctlError(
                    f"cannot add key {go_quote(key)}, another key by that name already exists in {where} for ConfigMap "
                    f"{go_quote(name)}"
                )
        try:
            data[key] = value.decode()
        except UnicodeDecodeError:
            binary[key] = base64.b64encode(value).decode()

    add_files(flags.texts("from-file"), add)
    add_literals(flags.texts("from-literal"), add)
    add_env_files(flags.texts("from-env-file"), add, what="config")
    if flags.is_on("append-hash"):
        content: dict[str, Any] = {"kind": "ConfigMap", "name": name, "data": data}
        name = f"{name}-{hashes.content_hash({**content, 'binaryData': binary} if binary else content)}"
    obj: JSONObject = {"kind": "ConfigMap", "apiVersion": "v1", "metadata": metadata(session, name)}
    if data:
        obj["data"] = dict(sorted(data.items()))
    if binary:
        obj["binaryData"] = dict(sorted(binary.items()))
    return obj


def source_flags() -> tuple[Flag, ...]:
    return (
        Flag(
            "from-file",
            "slice",
            (),
            "A file whose content becomes a value, under its own name or as key=file; or a directory, for all files in "
            "it. May be repeated.",
        ),
        Flag("from-literal", "array", (), "A key and its value, key=value; may be repeated."),
        Flag(
            "from-env-file",
            "slice",
            (),
            "A file with lines of KEY=value; a KEY alone is taken from the environment. Not with the other two.",
        ),
    )


APPEND_HASH = switch(
    "append-hash", "Put a hash of the content behind the name, so that another content is another object."
)

COMMAND = Command(
    "configmap",
    "configmap NAME [--from-file=[key=]source] [--from-literal=key1=value1] [--dry-run=server|client|none]",
    "Make a config map from files or values",
    run=run,
    aliases=("cm",),
    flags=(*GENERATOR_FLAGS, *source_flags(), APPEND_HASH),
    description="""\
Make a config map from files, directories and values.

A file's key is its name unless another is given. Of a directory all regular files are taken, not those in directories
below. What is no UTF-8 becomes binaryData.""",
    examples="""\
# From values
kctl create configmap settings --from-literal=region=eu --from-literal=level=debug

# From a file, under its own name and under another
kctl create configmap nginx --from-file=nginx.conf --from-file=index.html=pages/home.html

# From all files of a directory
kctl create configmap pages --from-file=pages/

# From an env file
kctl create configmap settings --from-env-file=production.env

# With a name that changes with the content
kctl create configmap settings --from-env-file=production.env --append-hash""",
)
