"""`kctl create secret generic|tls|docker-registry`. Kubernetes: kubectl/pkg/cmd/create/create_secret*.go."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from kctl.command import Command
from kctl.errors import KctlError
from kctl.flags import Flag
from localplane.apimachinery.gotext import go_json, go_quote
from localplane.apimachinery.objects import JSONObject

from .configmap import APPEND_HASH, check_sources, source_flags
from .making import GENERATOR_FLAGS, make, metadata, the_name

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
    obj: JSONObject = {"kind": "Secret", "apiVersion": "v1", "metadata": metadata(session, name)}
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
    check_key_pair(certificate, key)
    data = _Data()
    data.add("tls.crt", certificate)
    data.add("tls.key", key)
    await _make(session, given, name, data, "kubernetes.io/tls")


_GENERIC = Command(
    "generic",
    "generic NAME [--type=string] [--from-file=[key=]source] [--from-literal=key1=value1] "
    "[--dry-run=server|client|none]",
    "Make a secret from files or values",
    run=generic,
    flags=(
        *GENERATOR_FLAGS,
        *source_flags(),
        Flag("type", usage="The secret's type. Without it Opaque."),
        APPEND_HASH,
    ),
    description="""\
Make a secret from files, directories and values. A file's key is its name unless another is given; of a directory all
regular files are taken.""",
    examples="""\
# From values
kctl create secret generic db --from-literal=user=app --from-literal=password='s3cret'

# From files
kctl create secret generic ssh --from-file=id_ed25519 --from-file=known=known_hosts

# From an env file
kctl create secret generic db --from-env-file=db.env

# Of a type that something else looks for
kctl create secret generic basic --type=kubernetes.io/basic-auth --from-literal=username=me""",
)
_DOCKER = Command(
    "docker-registry",
    "docker-registry NAME --docker-username=user --docker-password=password --docker-email=email "
    "[--docker-server=string] [--from-file=[key=]source] [--dry-run=server|client|none]",
    "Make a secret for a registry of images",
    run=docker_registry,
    flags=(
        *GENERATOR_FLAGS,
        Flag("docker-username", usage="Who logs in to the registry."),
        Flag("docker-password", usage="The password, or a token in its place."),
        Flag("docker-email", usage="An address, for registries that want one."),
        Flag("docker-server", "text", "https://index.docker.io/v1/", "The registry."),
        Flag("from-file", "slice", (), f"A config.json of docker's, instead of the others. Its key is {_DOCKER_KEY}."),
        APPEND_HASH,
    ),
    description="""\
Make the secret with which pods pull images from a registry that wants to know who asks. Name it in imagePullSecrets
of a pod or a service account.""",
    examples="""\
# With a name and a password
kctl create secret docker-registry pull --docker-server=registry.example.com --docker-username=me --docker-password=pw

# With what docker login has left behind
kctl create secret docker-registry pull --from-file=$HOME/.docker/config.json""",
)
_TLS = Command(
    "tls",
    "tls NAME --cert=path/to/cert/file --key=path/to/key/file [--dry-run=server|client|none]",
    "Make a secret from a certificate and its key",
    run=tls,
    flags=(
        *GENERATOR_FLAGS,
        Flag("cert", usage="A file with the certificate, and those that signed it, in PEM."),
        Flag("key", usage="A file with its key, in PEM and not encrypted."),
        APPEND_HASH,
    ),
    description="Make a secret from a certificate and its key, if they belong together.",
    examples="""\
# For an ingress
kctl create secret tls web --cert=web.crt --key=web.key""",
)
COMMAND = Command(
    "secret",
    "secret (docker-registry | generic | tls)",
    "Make a secret",
    commands=(_DOCKER, _GENERIC, _TLS),
    description="""\
Make a secret: docker-registry for pulling images, tls for a certificate with its key, generic for all else.""",
)
