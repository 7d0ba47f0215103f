"""`kctl create configmap`. Kubernetes: kubectl/pkg/cmd/create/create_configmap.go."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from kctl.command import Command
from kctl.errors import KctlError
from kctl.flags import Flag, switch
from localplane.apimachinery.gotext import go_quote

from .making import GENERATOR_FLAGS, Object, make, metadata, the_name

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.session import Session


async def run(session: Session, given: Given) -> None:
    name = the_name(session, given)
    check_sources(given)
    await make(session, given, config_map(session, given, name), "configmaps", failure="failed to create configmap:")


def check_sources(given: Given) -> None:
    if given.texts("from-env-file") and (given.texts("from-file") or given.texts("from-literal")):
        raise KctlError("from-env-file cannot be combined with from-file or from-literal")


def config_map(session: Session, given: Given, name: str) -> Object:
    from .hashing import content_hash
    from .sources import add_env_files, add_files, add_literals, key_errors

    data: dict[str, str] = {}
    binary: dict[str, str] = {}

    def add(key: str, value: bytes) -> None:
        if problems := key_errors(key):
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

    add_files(given.texts("from-file"), add)
    add_literals(given.texts("from-literal"), add)
    add_env_files(given.texts("from-env-file"), add, what="config")
    if given.is_on("append-hash"):
        content: dict[str, Any] = {"kind": "ConfigMap", "name": name, "data": data}
        name = f"{name}-{content_hash({**content, 'binaryData': binary} if binary else content)}"
    obj: Object = {"kind": "ConfigMap", "apiVersion": "v1", "metadata": metadata(session, name)}
    if data:
        obj["data"] = dict(sorted(data.items()))
    if binary:
        obj["binaryData"] = dict(sorted(binary.items()))
    return obj


def source_flags(what: str) -> tuple[Flag, ...]:
    return (
        Flag(
            "from-file",
            "slice",
            (),
            f"Key file can be specified using its file path, in which case file basename will be used as {what} "
            "key, or "
            "optionally with a key and file path, in which case the given key will be used. Specifying a directory "
            f"will iterate each named file in the directory whose basename is a valid {what} key.",
        ),
        Flag(
            "from-literal", "array", (), f"Specify a key and literal value to insert in {what} (i.e. mykey=somevalue)"
        ),
        Flag(
            "from-env-file",
            "slice",
            (),
            f"Specify the path to a file to read lines of key=val pairs to create a {what}.",
        ),
    )


def append_hash(what: str) -> Flag:
    return switch("append-hash", f"Append a hash of the {what} to its name.")


COMMAND = Command(
    "configmap",
    "configmap NAME [--from-file=[key=]source] [--from-literal=key1=value1] [--dry-run=server|client|none]",
    "Create a config map from a local file, directory or literal value",
    run=run,
    aliases=("cm",),
    flags=(*GENERATOR_FLAGS, *source_flags("configmap"), append_hash("configmap")),
    description="""\
Create a config map based on a file, directory, or specified literal value.

A single config map may package one or more key/value pairs. Of a file the key is its base name unless another is given,
and the value its content. Of a directory every regular file whose name is a valid key is taken; everything else in it
is left out.""",
    examples="""\
# Create a new config map named my-config based on folder bar
kctl create configmap my-config --from-file=path/to/bar

# Create a new config map named my-config with specified keys instead of file basenames on disk
kctl create configmap my-config --from-file=key1=/path/to/bar/file1.txt --from-file=key2=/path/to/bar/file2.txt

# Create a new config map named my-config with key1=config1 and key2=config2
kctl create configmap my-config --from-literal=key1=config1 --from-literal=key2=config2

# Create a new config map named my-config from an env file
kctl create configmap my-config --from-env-file=path/to/foo.env""",
)
