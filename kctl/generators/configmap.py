"""`kctl create configmap`. Kubernetes: kubectl/pkg/cmd/create/create_configmap.go."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from kctl.command import Command
from kctl.errors import KctlError
from kctl.flags import Flag, switch
from localplane.apimachinery.gotext import go_quote
from localplane.apimachinery.objects import JSONObject

from .making import GENERATOR_FLAGS, make, metadata, the_name

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


def config_map(session: Session, given: Given, name: str) -> JSONObject:
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
