"""`create configmap`. Kubernetes: kubectl/pkg/cmd/create/create_configmap.go."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from kctl.errors import KctlError
from localplane.apimachinery.gotext import go_quote

from .generating import Object, Target, Words, generator, metadata, typed
from .hashing import name_with_hash
from .keys import config_map_key
from .sources import add_env_files, add_files, add_literals, check_sources, source_flags

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.session import Session


async def _config_map(session: Session, given: Given, name: str) -> Object:
    del session
    check_sources(given)
    data: dict[str, str] = {}
    binary: dict[str, str] = {}

    def add(key: str, value: bytes) -> None:
        _check_key(name, key, data, binary)
        try:
            data[key] = value.decode()
        except UnicodeDecodeError:
            binary[key] = base64.b64encode(value).decode()

    add_files(given.texts("from-file"), add)
    add_literals(given.texts("from-literal"), add)
    add_env_files(given.texts("from-env-file"), add, what="config")
    data, binary = dict(sorted(data.items())), dict(sorted(binary.items()))
    if given.is_on("append-hash"):
        content: Object = {"kind": "ConfigMap", "data": data}
        name = name_with_hash(name, {**content, "binaryData": binary} if binary else content)
    return typed("v1", "ConfigMap", metadata(name), data=data or None, binaryData=binary or None)


def _check_key(name: str, key: str, data: dict[str, str], binary: dict[str, str]) -> None:
    if problems := config_map_key(key):
        raise KctlError(f"{go_quote(key)} is not a valid key name for a ConfigMap: {','.join(problems)}")
    for field, taken in (("Data", data), ("BinaryData", binary)):
        if key in taken:
            raise KctlError(
                f"cannot add key {go_quote(key)}, another key by that name already exists in {field} for ConfigMap "
                f"{go_quote(name)}"
            )


CONFIG_MAP = generator(
    Words(
        "configmap",
        "configmap NAME [--from-file=[key=]source] [--from-literal=key1=value1] [--dry-run=server|client|none]",
        "Create a config map from a local file, directory or literal value",
        ("cm",),
        """\
Create a config map based on a file, directory, or specified literal value.

A single config map may package one or more key/value pairs.

When creating a config map based on a file, the key will default to the basename of the file, and the value will default
to the file content. If the basename is an invalid key, you may specify an alternate key.

When creating a config map based on a directory, each file whose basename is a valid key in the directory will be
packaged into the config map. Any directory entries except regular files are ignored (e.g. subdirectories, symlinks,
devices, pipes, etc).""",
        """\
# Create a new config map named my-config based on folder bar
kctl create configmap my-config --from-file=path/to/bar

# Create a new config map named my-config with specified keys instead of file basenames on disk
kctl create configmap my-config --from-file=key1=/path/to/bar/file1.txt --from-file=key2=/path/to/bar/file2.txt

# Create a new config map named my-config with key1=config1 and key2=config2
kctl create configmap my-config --from-literal=key1=config1 --from-literal=key2=config2

# Create a new config map named my-config from an env file
kctl create configmap my-config --from-env-file=path/to/foo.env --from-env-file=path/to/bar.env""",
    ),
    _config_map,
    Target("", "v1", "configmaps", failed="failed to create configmap: "),
    flags=source_flags("configmap"),
)
