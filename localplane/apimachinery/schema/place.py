"""Where in a custom resource something is wrong: once as a field, once as validation's messages write it."""

from __future__ import annotations


class Place:
    """The two differ below a map at the root, whose keys get a dot in front in the messages only.

    `prefix` is the field that the root of the walk is in: the status, when only that is looked at.
    """

    __slots__ = ("prefix", "text")

    def __init__(self, text: str = "", prefix: str = "") -> None:
        self.text = text
        self.prefix = prefix

    @property
    def field(self) -> str:
        name = self.text.removeprefix(".")
        if not name:
            return self.prefix or "<nil>"
        return f"{self.prefix}.{name}" if self.prefix else name

    def child(self, name: str) -> Place:
        return Place(f"{self.text}.{name}" if self.text else name, self.prefix)

    def key(self, name: str) -> Place:
        return Place(f"{self.text}.{name}", self.prefix)

    def index(self, number: int) -> Place:
        return Place(f"{self.text}[{number}]", self.prefix)
