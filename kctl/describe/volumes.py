"""Volumes, of pods and of persistent volumes. Kubernetes: describeVolumes and the functions below it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from localplane.apimachinery.objects import JSONObject

from .metadata import NONE, of
from .page import Page
from .volume_shapes import PERSISTENT, SHAPES, Shape

_LONGEST_ATTRIBUTE = 140


def volumes(page: Page, every: Sequence[JSONObject], *, space: str = "") -> None:
    if not every:
        page.line(f"{space}Volumes:\t{NONE}")
        return
    page.line(f"{space}Volumes:")
    for volume in every:
        page.line(f"{' ' if space else ''}{volume.get('name', '')}:", level=1)
        volume_source(page, volume)


def volume_source(page: Page, source: JSONObject, *, persistent: bool = False) -> None:
    """Whichever of the many it is."""
    for name, write in _SPECIAL.items():
        if (found := source.get(name)) is not None:
            write(page, found)
            return
    for name, shape in (PERSISTENT if persistent else SHAPES).items():
        if (found := source.get(name)) is not None:
            _fields(page, found, shape)
            return
    page.line("<unknown>", level=1)


def _fields(page: Page, source: JSONObject, shape: Shape) -> None:
    page.line(f"Type:\t{shape.about}", level=2)
    for title, path, show, colon in shape.fields:
        *outer, field = path.split(".")
        page.line(f"{title}{colon}\t{show(of(source, *outer).get(field))}", level=2)


def _empty_dir(page: Page, source: JSONObject) -> None:
    limit = source.get("sizeLimit")
    page.line("Type:\tEmptyDir (a temporary directory that shares a pod's lifetime)", level=2)
    page.field("Medium", source.get("medium", ""), level=2)
    page.field("SizeLimit", "<unset>" if limit in (None, "0") else limit, level=2)


def _projected(page: Page, source: JSONObject) -> None:
    page.line("Type:\tProjected (a volume that contains injected data from multiple sources)", level=2)
    for one in source.get("sources") or ():
        if (secret := one.get("secret")) is not None:
            _named_source(page, "SecretName", secret)
        elif one.get("downwardAPI") is not None:
            page.field("DownwardAPI", "true", level=2)
        elif (config_map := one.get("configMap")) is not None:
            _named_source(page, "ConfigMapName", config_map)
        elif (token := one.get("serviceAccountToken")) is not None:
            page.field("TokenExpirationSeconds", token.get("expirationSeconds", 0), level=2)


def _named_source(page: Page, title: str, found: JSONObject) -> None:
    page.field(title, found.get("name", ""), level=2)
    page.field("Optional", "true" if found.get("optional") else "false", level=2)


def _downward(page: Page, source: JSONObject) -> None:
    page.line("Type:\tDownwardAPI (a volume populated by information about the pod)\n    Items:", level=2)
    for item in source.get("items") or ():
        for field, key in (("fieldRef", "fieldPath"), ("resourceFieldRef", "resource")):
            if (found := item.get(field)) is not None:
                page.line(f"{found.get(key, '')} -> {item.get('path', '')}", level=3)


def _ephemeral(page: Page, source: JSONObject) -> None:
    from .claims import claim

    page.line(
        "Type:\tEphemeralVolume (an inline specification for a volume that gets created and deleted with the pod)",
        level=2,
    )
    if (template := source.get("volumeClaimTemplate")) is not None:
        claim(page.nested(2), template, whole=False)


def _csi(page: Page, source: JSONObject) -> None:
    page.line("Type:\tCSI (a Container Storage Interface (CSI) volume source)", level=2)
    page.field("Driver", source.get("driver", ""), level=2)
    page.field("FSType", source.get("fsType", ""), level=2)
    if "volumeHandle" in source:
        page.field("VolumeHandle", source["volumeHandle"], level=2)
    page.field("ReadOnly", "true" if source.get("readOnly") else "false", level=2)
    attributes = source.get("volumeAttributes") or {}
    page.write("VolumeAttributes:\t", level=2)
    if not attributes:
        page.line(NONE)
    for number, key in enumerate(sorted(attributes)):
        if number:
            page.write("", level=2)
            page.write("\t", level=2)
        line = f"{key}={attributes[key]}"
        page.line(f"{line[:_LONGEST_ATTRIBUTE]}..." if len(line) > _LONGEST_ATTRIBUTE else line, level=2)


_SPECIAL: dict[str, Callable[[Page, JSONObject], None]] = {
    "emptyDir": _empty_dir,
    "projected": _projected,
    "downwardAPI": _downward,
    "ephemeral": _ephemeral,
    "csi": _csi,
}
