"""Several objects as one: kubectl's v1 List, which is a struct and has its fields in the struct's order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kctl.printers import choosing
from kctl.printers.objects import go_indented, sorted_keys, without_managed_fields
from localplane.apimachinery.objects import JSONObject

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kctl.flags import Given
    from kctl.session import Session


def print_list(session: Session, given: Given, objects: Sequence[JSONObject]) -> None:
    listed: JSONObject = {"kind": "List", "apiVersion": "v1", "metadata": {}, "items": list(objects)}
    form = choosing.chosen_format(given).lower()
    if form not in ("json", "kyaml"):
        choosing.printer_for(given).print(listed, session.write_object)
        return
    if not given.is_on("show-managed-fields"):
        listed = without_managed_fields(listed)
    listed["items"] = [sorted_keys(item) for item in listed["items"]]
    if form == "json":
        session.write(go_indented(listed, sort=False) + "\n")
        return
    from kctl.printers.kyaml import to_kyaml

    session.write(to_kyaml(listed, sort=False))
