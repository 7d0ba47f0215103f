"""What was asked for. Kubernetes: DebugOptions.Complete and Validate."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from kctl.changes.debug.profiles import PROFILES
from kctl.changes.launch.names import INVALID, PULL_POLICIES, is_image
from kctl.command_line.flags import FlagSet
from kctl.errors import KctlError
from kctl.session.session import Session
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.serializers import errors, yaml_documents
from localplane.apis import encoding

_NOT_MODIFIABLE = ("name", "command", "image", "lifecycle", "volumeDevices")
_ONLY_FOR_COPIES = ("replace", "same-node", "set-image")


class Debugging(NamedTuple):
    """`custom` is laid over what the profile makes of the container."""

    flags: FlagSet
    targets: list[str]
    words: list[str]
    attaches: bool
    environment: list[JSONObject]
    custom: JSONObject | None

    @property
    def quiet(self) -> bool:
        return self.flags.is_on("quiet")

    @property
    def image(self) -> str:
        return self.flags.text("image")

    @property
    def container(self) -> str:
        return self.flags.text("container")


def read(flags: FlagSet) -> Debugging:
    """Raises KctlError for what can't be read."""
    targets, words = flags.arguments, []
    if flags.dash is not None and len(flags.arguments) > flags.dash:
        targets, words = flags.arguments[: flags.dash], flags.arguments[flags.dash :]
    attaches = flags.is_on("attach") if flags.changed("attach") else flags.is_on("stdin")
    environment = [
        {"name": name, "value": value} if value else {"name": name} for name, value in flags.pairs("env").items()
    ]
    if flags.text("profile") not in PROFILES:
        raise KctlError(f"unknown profile: {flags.text('profile')}")
    return Debugging(flags, targets, words, attaches, environment, _custom(flags.text("custom")))


def _custom(path: str) -> JSONObject | None:
    if not path:
        return None
    try:
        text = Path(path).read_bytes()
    except OSError as error:
        call = "read" if isinstance(error, IsADirectoryError) else "open"
        why = (error.strerror or str(error)).lower()
        raise KctlError(f"must pass a container spec json file for custom profile: {call} {path}: {why}") from error
    value = _parsed(path, text)
    if value is None:
        return None
    if not isinstance(value, dict):
        kind = {str: "string", list: "array", bool: "bool"}.get(type(value), "number")
        raise KctlError(
            f"{path} does not contain a valid container spec: error unmarshaling JSON: while decoding JSON: "
            f"json: cannot unmarshal {kind} into Go value of type v1.Container"
        )
    return encoding.encoded_struct("core/v1.Container", value)


def _parsed(path: str, text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        pass
    try:
        return next((document.value for document in yaml_documents.parse_yaml_documents(text)), None)
    except errors.SerializationError as error:
        raise KctlError(
            f"{path} does not contain a valid container spec: error converting YAML to JSON: {error}"
        ) from error


def check(session: Session, debugging: Debugging) -> None:
    """What does not go together. Raises KctlError."""
    flags = debugging.flags
    if debugging.attaches and flags.changed("attach") and not debugging.image and not debugging.container:
        raise KctlError("you must specify --container or create a new container using --image in order to attach.")
    _check_copy(debugging)
    if debugging.image and not is_image(debugging.image):
        raise KctlError(f"invalid image name {go_quote(debugging.image)}: {INVALID}")
    if not debugging.targets and not flags.texts("filename"):
        raise KctlError("NAME or filename is required for debug")
    if (policy := flags.text("image-pull-policy")) and policy not in PULL_POLICIES:
        raise KctlError(f"invalid image pull policy: {policy}")
    for name, image in flags.pairs("set-image").items():
        if not is_image(image):
            raise KctlError(f"invalid image name {go_quote(image)} for container {go_quote(name)}: {INVALID}")
    _check_target(session, debugging)
    if flags.is_on("tty") and not flags.is_on("stdin"):
        raise KctlError("-i/--stdin is required for containers with -t/--tty=true")
    if debugging.custom is not None and any(debugging.custom.get(name) for name in _NOT_MODIFIABLE):
        raise KctlError("name, command, image, lifecycle and volume devices are not modifiable via custom profile")
    if flags.text("profile") == "legacy":
        session.say(
            "--profile=legacy is deprecated and planned to be removed in v1.39. It is recommended to specify other "
            'profile, for example "--profile=general".\n'
        )


def _check_copy(debugging: Debugging) -> None:
    flags = debugging.flags
    if flags.text("copy-to"):
        if not debugging.image and not flags.pairs("set-image") and not debugging.words:
            raise KctlError("you must specify --image, --set-image or command arguments.")
        if debugging.words and not debugging.container and not debugging.image:
            raise KctlError("you must specify an existing container or a new image when specifying args.")
        return
    for name in _ONLY_FOR_COPIES:
        if flags.pairs(name) if name == "set-image" else flags.is_on(name):
            raise KctlError(f"--{name} may only be used with --copy-to.")
    if not debugging.image:
        raise KctlError("you must specify --image when not using --copy-to.")


def _check_target(session: Session, debugging: Debugging) -> None:
    target = debugging.flags.text("target")
    if not target:
        return
    if debugging.flags.text("copy-to"):
        raise KctlError("--target is incompatible with --copy-to. Use --share-processes instead.")
    if not debugging.quiet:
        session.write(
            f"Targeting container {go_quote(target)}. If you don't see processes from this container it may be because "
            "the container runtime doesn't support this feature.\n"
        )
