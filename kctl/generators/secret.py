"""`kctl create secret generic|tls|docker-registry`. Kubernetes: kubectl/pkg/cmd/create/create_secret*.go."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from kctl.command import Command
from kctl.errors import KctlError
from kctl.flags import Flag
from localplane.apimachinery.gotext import go_json, go_quote

from .configmap import append_hash, check_sources, source_flags
from .making import GENERATOR_FLAGS, Object, make, metadata, the_name

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.session import Session

_DOCKER_KEY = ".dockerconfigjson"


class _Data:
    """What a secret holds, in the form that it is sent in."""

    def __init__(self) -> None:
        self.encoded: dict[str, str] = {}

    def add(self, key: str, value: bytes) -> None:
        from .sources import key_errors

        if problems := key_errors(key):
            raise KctlError(f"{go_quote(key)} is not valid key name for a Secret {';'.join(problems)}")
        if key in self.encoded:
            raise KctlError(f"cannot add key {key}, another key by that name already exists")
        self.encoded[key] = base64.b64encode(value).decode()


async def _make(session: Session, given: Given, name: str, data: _Data, kind: str) -> None:
    if given.is_on("append-hash"):
        from .hashing import content_hash

        name = f"{name}-{content_hash({'kind': 'Secret', 'type': kind, 'name': name, 'data': data.encoded})}"
    obj: Object = {"kind": "Secret", "apiVersion": "v1", "metadata": metadata(session, name)}
    if data.encoded:
        obj["data"] = dict(sorted(data.encoded.items()))
    if kind:
        obj["type"] = kind
    await make(session, given, obj, "secrets", failure="failed to create secret")


async def generic(session: Session, given: Given) -> None:
    from .sources import add_env_files, add_files, add_literals

    name = the_name(session, given)
    check_sources(given)
    data = _Data()
    add_literals(given.texts("from-literal"), data.add)
    add_files(given.texts("from-file"), data.add)
    add_env_files(given.texts("from-env-file"), data.add, what="secret")
    await _make(session, given, name, data, given.text("type"))


async def docker_registry(session: Session, given: Given) -> None:
    from .sources import add_files

    name = the_name(session, given)
    files = [one if "=" in one else f"{_DOCKER_KEY}={one}" for one in given.texts("from-file")]
    user, password, server = (given.text(f"docker-{what}") for what in ("username", "password", "server"))
    if not files and not (user and password and server):
        raise KctlError(
            "either --from-file or the combination of --docker-username, --docker-password and --docker-server "
            "is required"
        )
    data = _Data()
    if files:
        add_files(files, data.add)
    else:
        auth = base64.b64encode(f"{user}:{password}".encode()).decode()
        entry = {"username": user, "password": password, "email": given.text("docker-email"), "auth": auth}
        entry = {key: value for key, value in entry.items() if value}
        data.add(_DOCKER_KEY, go_json({"auths": {server: entry}}).encode())
    await _make(session, given, name, data, "kubernetes.io/dockerconfigjson")


async def tls(session: Session, given: Given) -> None:
    from .key_pair import check_key_pair, read

    name = the_name(session, given)
    if not given.text("key") or not given.text("cert"):
        raise KctlError("key and cert must be specified")
    certificate, key = read(given.text("cert")), read(given.text("key"))
    check_key_pair(certificate, key, given.text("cert"), given.text("key"))
    data = _Data()
    data.add("tls.crt", certificate)
    data.add("tls.key", key)
    await _make(session, given, name, data, "kubernetes.io/tls")


_GENERIC = Command(
    "generic",
    "generic NAME [--type=string] [--from-file=[key=]source] [--from-literal=key1=value1] "
    "[--dry-run=server|client|none]",
    "Create a secret from a local file, directory, or literal value",
    run=generic,
    flags=(
        *GENERATOR_FLAGS,
        *source_flags("secret"),
        Flag("type", usage="The type of secret to create"),
        append_hash("secret"),
    ),
    examples="""\
# Create a new secret named my-secret with keys for each file in folder bar
kctl create secret generic my-secret --from-file=path/to/bar

# Create a new secret named my-secret with key1=supersecret and key2=topsecret
kctl create secret generic my-secret --from-literal=key1=supersecret --from-literal=key2=topsecret

# Create a new secret named my-secret from env files
kctl create secret generic my-secret --from-env-file=path/to/foo.env --from-env-file=path/to/bar.env""",
)
_DOCKER = Command(
    "docker-registry",
    "docker-registry NAME --docker-username=user --docker-password=password --docker-email=email "
    "[--docker-server=string] [--from-file=[key=]source] [--dry-run=server|client|none]",
    "Create a secret for use with a Docker registry",
    run=docker_registry,
    flags=(
        *GENERATOR_FLAGS,
        Flag("docker-username", usage="Username for Docker registry authentication"),
        Flag("docker-password", usage="Password for Docker registry authentication"),
        Flag("docker-email", usage="Email for Docker registry"),
        Flag("docker-server", "text", "https://index.docker.io/v1/", "Server location for Docker registry"),
        Flag("from-file", "slice", (), f"A file with the registry's configuration. Its key should be {_DOCKER_KEY}."),
        append_hash("secret"),
    ),
    examples="""\
# Create the secret from a user's name and password
kctl create secret docker-registry my-secret --docker-server=registry.example.com --docker-username=me \
--docker-password=secret --docker-email=me@example.com

# Create a new secret named my-secret from ~/.docker/config.json
kctl create secret docker-registry my-secret --from-file=path/to/.docker/config.json""",
)
_TLS = Command(
    "tls",
    "tls NAME --cert=path/to/cert/file --key=path/to/key/file [--dry-run=server|client|none]",
    "Create a TLS secret",
    run=tls,
    flags=(
        *GENERATOR_FLAGS,
        Flag("cert", usage="Path to PEM encoded public key certificate."),
        Flag("key", usage="Path to private key associated with given certificate."),
        append_hash("secret"),
    ),
    examples="""\
# Create a new TLS secret named tls-secret with the given key pair
kctl create secret tls tls-secret --cert=path/to/tls.crt --key=path/to/tls.key""",
)
COMMAND = Command(
    "secret",
    "secret (docker-registry | generic | tls)",
    "Create a secret using a specified subcommand",
    commands=(_DOCKER, _GENERIC, _TLS),
    description="""\
Create a secret with specified type.

A docker-registry secret is for accessing a container registry, a generic secret is an Opaque one, and a tls secret
holds a certificate and its key.""",
)
