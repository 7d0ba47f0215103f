"""The flags that the sub-commands of `set` share."""

from __future__ import annotations

from kctl import standard_flags
from kctl.flags import Flag, switch
from kctl.printers.choosing import output_flags


def set_flags(what: str, *more: Flag, selector: bool = True) -> tuple[Flag, ...]:
    flags = (
        *output_flags(),
        switch("all", "Select all resources, in the namespace of the specified resource types"),
        switch("local", f"If true, set {what} will NOT contact api-server but run locally."),
        standard_flags.DRY_RUN,
        standard_flags.field_manager("kctl-set"),
        *standard_flags.filename_flags("identifying the resource to get from a server."),
        *more,
    )
    return (*flags, standard_flags.SELECTOR) if selector else flags
