"""The flags that the sub-commands of `set` share."""

from __future__ import annotations

from kctl import standard_flags
from kctl.flags import Flag, switch
from kctl.printers.choosing import output_flags
from kctl.recording import RECORD


def set_flags(*more: Flag, selector: bool = True, record: bool = True) -> tuple[Flag, ...]:
    return (
        *output_flags(),
        switch("all", "Change all objects of the given types in the namespace."),
        switch("local", "Change what the files of -f say, and ask no server."),
        standard_flags.DRY_RUN,
        standard_flags.field_manager("kctl-set"),
        *standard_flags.filename_flags("with the objects to change"),
        *more,
        *((standard_flags.SELECTOR,) if selector else ()),
        *((RECORD,) if record else ()),
    )
