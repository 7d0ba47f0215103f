"""`create secret generic`, `docker-registry` and `tls`. Kubernetes: kubectl/pkg/cmd/create/create_secret*.go."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from kctl.command import Command
from kctl.errors import KctlError
from kctl.flags import Flag
from localplane.apimachinery.gotext import go_json, go_quote

from .generating import Object, Target, Words, generator, metadata, typed
from .hashing import name_with_hash
from .keys import config_map_key
from .sources import add_env_files, add_files, add_literals, append_hash, check_sources, source_flags

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.session import Session

_DOCKER_KEY = ".dockerconfigjson"
_TARGET = Target("", "v1", "secrets", failed="failed to create secret ")


class _Data:
    def __init__(self) -> None:
        self.values: dict[str, bytes] = {}

    def add(self, key: str, value: bytes) -> None:
        if problems := config_map_key(key):
            raise KctlError(f"{go_quote(key)} is not valid key name for a Secret {';'.join(problems)}")
        if key in self.values:
            raise KctlError(f"cannot add key {key}, another key by that name already exists")
        self.values[key] = value


def _secret(given: Given, name: str, kind: str, values: dict[str, bytes]) -> Object:
    data = {key: base64.b64encode(value).decode() for key, value in sorted(values.items())}
    if given.is_on("append-hash"):
        name = name_with_hash(name, {"kind": "Secret", "type": kind, "data": data})
    return typed("v1", "Secret", metadata(name), data=data or None, type=kind or None)


async def _generic(session: Session, given: Given, name: str) -> Object:
    del session
    check_sources(given)
    data = _Data()
    add_literals(given.texts("from-literal"), data.add)
    add_files(given.texts("from-file"), data.add)
    add_env_files(given.texts("from-env-file"), data.add, what="secret")
    return _secret(given, name, given.text("type"), data.values)


async def _docker_registry(session: Session, given: Given, name: str) -> Object:
    del session
    data = _Data()
    files = [one if "=" in one else f"{_DOCKER_KEY}={one}" for one in given.texts("from-file")]
    user, password = given.text("docker-username"), given.text("docker-password")
    server = given.text("docker-server")
    if not files and not (user and password and server):
        raise KctlError(
            "either --from-file or the combination of --docker-username, --docker-password and --docker-server is "
            "required"
        )
    add_files(files, data.add)
    if not files:
        entry = {
            "username": user,
            "password": password,
            "email": given.text("docker-email"),
            "auth": base64.b64encode(f"{user}:{password}".encode()).decode(),
        }
        content = {"auths": {server: {key: value for key, value in entry.items() if value}}}
        data.values[_DOCKER_KEY] = go_json(content).encode()
    return _secret(given, name, "kubernetes.io/dockerconfigjson", data.values)


async def _tls(session: Session, given: Given, name: str) -> Object:
    del session
    if not given.text("key") or not given.text("cert"):
        raise KctlError("key and cert must be specified")
    from .key_pairs import read_pair

    certificate, key = read_pair(given.text("cert"), given.text("key"))
    return _secret(given, name, "kubernetes.io/tls", {"tls.crt": certificate, "tls.key": key})


_GENERIC = generator(
    Words(
        "generic",
        "generic NAME [--type=string] [--from-file=[key=]source] [--from-literal=key1=value1] "
        "[--dry-run=server|client|none]",
        "Create a secret from a local file, directory, or literal value",
        description="""\
Create a secret based on a file, directory, or specified literal value.

A single secret may package one or more key/value pairs.

When creating a secret based on a file, the key will default to the basename of the file, and the value will default to
the file content. If the basename is an invalid key or you wish to chose your own, you may specify an alternate key.

When creating a secret based on a directory, each file whose basename is a valid key in the directory will be packaged
into the secret. Any directory entries except regular files are ignored (e.g. subdirectories, symlinks, devices, pipes,
etc).""",
        examples="""\
# Create a new secret named my-secret with keys for each file in folder bar
kctl create secret generic my-secret --from-file=path/to/bar

# Create a new secret named my-secret with specified keys instead of names on disk
kctl create secret generic my-secret --from-file=ssh-privatekey=path/to/id_rsa

# Create a new secret named my-secret with key1=supersecret and key2=topsecret
kctl create secret generic my-secret --from-literal=key1=supersecret --from-literal=key2=topsecret

# Create a new secret named my-secret from env files
kctl create secret generic my-secret --from-env-file=path/to/foo.env --from-env-file=path/to/bar.env""",
    ),
    _generic,
    _TARGET,
    flags=(*source_flags("secret"), Flag("type", usage="The type of secret to create")),
)

_DOCKER = generator(
    Words(
        "docker-registry",
        "docker-registry NAME --docker-username=user --docker-password=password --docker-email=email "
        "[--docker-server=string] [--from-file=[key=]source] [--dry-run=server|client|none]",
        "Create a secret for use with a Docker registry",
        examples="""\
# If you do not already have a .dockercfg file, create a dockercfg secret directly
kctl create secret docker-registry my-secret --docker-server=DOCKER_REGISTRY_SERVER --docker-username=DOCKER_USER \\
  --docker-password=DOCKER_PASSWORD --docker-email=DOCKER_EMAIL

# Create a new secret named my-secret from ~/.docker/config.json
kctl create secret docker-registry my-secret --from-file=path/to/.docker/config.json""",
    ),
    _docker_registry,
    _TARGET,
    flags=(
        Flag("docker-username", usage="Username for Docker registry authentication"),
        Flag("docker-password", usage="Password for Docker registry authentication"),
        Flag("docker-email", usage="Email for Docker registry"),
        Flag("docker-server", "text", "https://index.docker.io/v1/", "Server location for Docker registry"),
        append_hash("secret"),
        Flag(
            "from-file",
            "slice",
            (),
            f"Key files can be specified using their file path, in which case a default name of {_DOCKER_KEY} will be "
            "given to them, or optionally with a name and file path, in which case the given name will be used. For "
            f"this command, the key should always be {_DOCKER_KEY}.",
        ),
    ),
)

_TLS = generator(
    Words(
        "tls",
        "tls NAME --cert=path/to/cert/file --key=path/to/key/file [--dry-run=server|client|none]",
        "Create a TLS secret",
        description="""\
Create a TLS secret from the given public/private key pair.

The public/private key pair must exist beforehand. The public key certificate must be .PEM encoded and match the given
private key.""",
        examples="""\
# Create a new TLS secret named tls-secret with the given key pair
kctl create secret tls tls-secret --cert=path/to/tls.crt --key=path/to/tls.key""",
    ),
    _tls,
    _TARGET,
    flags=(
        Flag("cert", usage="Path to PEM encoded public key certificate."),
        Flag("key", usage="Path to private key associated with given certificate."),
        append_hash("secret"),
    ),
)

SECRET = Command(
    "secret",
    "secret (docker-registry | generic | tls)",
    "Create a secret using a specified subcommand",
    description="""\
Create a secret with specified type.

A docker-registry type secret is for accessing a container registry.

A generic type secret indicate an Opaque secret type.

A tls type secret holds TLS certificate and its associated key.""",
    commands=(_DOCKER, _GENERIC, _TLS),
)
