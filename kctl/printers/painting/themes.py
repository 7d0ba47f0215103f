"""Which colour means what. The sixteen colours of the terminal are used, which the user has chosen, but for those that
can't be read on a light background.
"""

from __future__ import annotations

from collections.abc import Mapping

from localplane.apimachinery.light_typing import NamedTuple

THEMES = ("auto", "dark", "light")
PLAIN = "\x1b[0m"
_LIGHT_BACKGROUNDS = ("7", "15")


class Theme(NamedTuple):
    """`good`, `busy` and `bad` are how something is; `quiet` is what need not be read. The rest are parts of speech."""

    good: str = "\x1b[32m"
    busy: str = "\x1b[33m"
    bad: str = "\x1b[31;1m"
    fresh: str = "\x1b[36m"
    quiet: str = "\x1b[2m"
    title: str = "\x1b[1m"
    key: str = "\x1b[36m"
    text: str = "\x1b[32m"
    number: str = "\x1b[35m"
    word: str = "\x1b[33m"
    added: str = "\x1b[32m"
    removed: str = "\x1b[31m"
    place: str = "\x1b[36m"

    def paint(self, text: str, colour: str) -> str:
        return f"{colour}{text}{PLAIN}" if colour and text else text


DARK = Theme()
LIGHT = Theme(
    good="\x1b[38;5;28m",
    busy="\x1b[38;5;130m",
    fresh="\x1b[38;5;25m",
    quiet="\x1b[38;5;243m",
    key="\x1b[38;5;25m",
    text="\x1b[38;5;28m",
    number="\x1b[38;5;90m",
    word="\x1b[38;5;130m",
    added="\x1b[38;5;28m",
    removed="\x1b[38;5;160m",
    place="\x1b[38;5;25m",
)


def theme(environ: Mapping[str, str]) -> Theme:
    """KCTL_THEME, or by what the terminal says of its background, if it does: COLORFGBG."""
    choice = environ.get("KCTL_THEME", "auto")
    if choice in ("dark", "light"):
        return LIGHT if choice == "light" else DARK
    return LIGHT if environ.get("COLORFGBG", "").rpartition(";")[2] in _LIGHT_BACKGROUNDS else DARK
