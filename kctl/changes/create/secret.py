"""A certificate and the key that belongs to it. Kubernetes asks Go's tls.X509KeyPair; these are its words.

`kctl create secret generic|tls|docker-registry`. Kubernetes: kubectl/pkg/cmd/create/create_secret*.go.
"""

from __future__ import annotations

import base64
import re
from pathlib import Path
from typing import Any, NamedTuple

from kctl.changes.create.configmap import (
    APPEND_HASH,
    add_env_files,
    add_files,
    add_literals,
    check_sources,
    failed_call,
    reason,
    source_flags,
)
from kctl.changes.create.generator import GENERATOR_FLAGS, make, metadata, the_name
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet
from kctl.errors import KctlError
from kctl.kustomize.resources import hashes
from kctl.session.session import Session
from localplane.apimachinery.golang.text import go_json, go_quote
from localplane.apimachinery.names import config_map_key
from localplane.apimachinery.objects import JSONObject

_BLOCK = re.compile(rb"(?:^|\n)-----BEGIN ([^\n]*?)-----[ \t\r]*\n(.*?)\n?-----END \1-----[ \t\r]*(?=\n|$)", re.DOTALL)


class _Block(NamedTuple):
    type: str
    content: bytes


def read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise KctlError(f"Cannot read file {path}, {failed_call(error)} {path}: {reason(error)}") from error


def check_key_pair(certificate: bytes, key: bytes) -> None:
    """Raises KctlError."""
    der = _certificate_block(_blocks(certificate))
    key_der = _key_block(_blocks(key))
    public = _public_key(der)
    private = _private_key(key_der)
    if type(private.public_key()) is not type(public):
        raise KctlError("tls: private key type does not match public key type")
    if private.public_key() != public:
        raise KctlError("tls: private key does not match public key")


def _blocks(text: bytes) -> list[_Block]:
    """Kubernetes: Go's encoding/pem. Headers, which only encrypted keys have, are no part of the content."""
    found = []
    for match in _BLOCK.finditer(text):
        body = match[2].rpartition(b"\n\n")[2] if b": " in match[2] else match[2]
        try:
            found.append(_Block(match[1].decode(), base64.b64decode(b"".join(body.split()), validate=True)))
        except ValueError:
            continue
    return found


def _certificate_block(blocks: list[_Block]) -> bytes:
    for block in blocks:
        if block.type == "CERTIFICATE":
            return block.content
    if not blocks:
        raise KctlError("tls: failed to find any PEM data in certificate input")
    if len(blocks) == 1 and blocks[0].type.endswith("PRIVATE KEY"):
        raise KctlError(
            "tls: failed to find certificate PEM data in certificate input, but did find a private key; "
            "PEM inputs may have been switched"
        )
    raise KctlError(
        'tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following '
        f"types: [{' '.join(block.type for block in blocks)}]"
    )


def _key_block(blocks: list[_Block]) -> bytes:
    for block in blocks:
        if block.type == "PRIVATE KEY" or block.type.endswith(" PRIVATE KEY"):
            return block.content
    if not blocks:
        raise KctlError("tls: failed to find any PEM data in key input")
    if len(blocks) == 1 and blocks[0].type == "CERTIFICATE":
        raise KctlError("tls: found a certificate rather than a key in the PEM for the private key")
    raise KctlError(
        'tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the '
        f"following types: [{' '.join(block.type for block in blocks)}]"
    )


def _public_key(der: bytes) -> Any:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.x509 import load_der_x509_certificate

    try:
        public = load_der_x509_certificate(der).public_key()
    except (ValueError, UnsupportedAlgorithm) as error:
        raise KctlError("x509: malformed certificate") from error
    if _family(public) is None:
        raise KctlError("tls: unknown public key algorithm")
    return public


def _private_key(der: bytes) -> Any:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import load_der_private_key

    try:
        private = load_der_private_key(der, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise KctlError("tls: failed to parse private key") from error
    if _family(private.public_key()) is None:
        raise KctlError("tls: found unknown private key type in PKCS#8 wrapping")
    return private


def _family(public: Any) -> type | None:
    """What Go's TLS knows to use."""
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

    return next(
        (one for one in (RSAPublicKey, EllipticCurvePublicKey, Ed25519PublicKey) if isinstance(public, one)), None
    )


_DOCKER_KEY = ".dockerconfigjson"


class _Data:
    """What a secret holds, in the form that it is sent in."""

    def __init__(self) -> None:
        self.encoded: dict[str, str] = {}

    def add(self, key: str, value: bytes) -> None:
        if problems := config_map_key(key):
            raise KctlError(f"{go_quote(key)} is not valid key name for a Secret {';'.join(problems)}")
        if key in self.encoded:
            raise KctlError(f"cannot add key {key}, another key by that name already exists")
        self.encoded[key] = base64.b64encode(value).decode()


async def _make(session: Session, flags: FlagSet, name: str, data: _Data, kind: str) -> None:
    if flags.is_on("append-hash"):
        name = f"{name}-{hashes.content_hash({'kind': 'Secret', 'type': kind, 'name': name, 'data': data.encoded})}"
    obj: JSONObject = {"kind": "Secret", "apiVersion": "v1", "metadata": metadata(session, name)}
    if data.encoded:
        obj["data"] = dict(sorted(data.encoded.items()))
    if kind:
        obj["type"] = kind
    await make(session, flags, obj, "secrets", failure="failed to create secret")


async def generic(session: Session, flags: FlagSet) -> None:
    name = the_name(session, flags)
    check_sources(flags)
    data = _Data()
    add_literals(flags.texts("from-literal"), data.add)
    add_files(flags.texts("from-file"), data.add)
    add_env_files(flags.texts("from-env-file"), data.add, what="secret")
    await _make(session, flags, name, data, flags.text("type"))


async def docker_registry(session: Session, flags: FlagSet) -> None:
    name = the_name(session, flags)
    files = [one if "=" in one else f"{_DOCKER_KEY}={one}" for one in flags.texts("from-file")]
    user, password, server = (flags.text(f"docker-{what}") for what in ("username", "password", "server"))
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
        entry = {"username": user, "password": password, "email": flags.text("docker-email"), "auth": auth}
        entry = {key: value for key, value in entry.items() if value}
        data.add(_DOCKER_KEY, go_json({"auths": {server: entry}}).encode())
    await _make(session, flags, name, data, "kubernetes.io/dockerconfigjson")


async def tls(session: Session, flags: FlagSet) -> None:

    name = the_name(session, flags)
    if not flags.text("key") or not flags.text("cert"):
        raise KctlError("key and cert must be specified")
    certificate, key = read(flags.text("cert")), read(flags.text("key"))
    check_key_pair(certificate, key)
    data = _Data()
    data.add("tls.crt", certificate)
    data.add("tls.key", key)
    await _make(session, flags, name, data, "kubernetes.io/tls")


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
