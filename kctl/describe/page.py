"""Lines with levels and tabs. Kubernetes: describe.PrefixWriter, tabbedString."""

from __future__ import annotations

from kctl.printers.tabwriter import TabWriter
from kctl.printers.terminal import escape


class Page:
    """`indent` is added to every level: a page within a page."""

    def __init__(self, blocks: list[list[str]] | None = None, *, indent: int = 0) -> None:
        self._blocks: list[list[str]] = [[]] if blocks is None else blocks
        self._indent = indent

    def write(self, text: str, *, level: int = 0) -> None:
        """As it is: a line ends with its own end."""
        self._blocks[-1].append("  " * (level + self._indent) + escape(text))

    def line(self, text: str, *, level: int = 0) -> None:
        self.write(f"{text}\n", level=level)

    def field(self, name: str, value: object, *, level: int = 0) -> None:
        self.write(f"{name}:\t{value}\n", level=level)

    def end_columns(self) -> None:
        """What follows is aligned by itself."""
        self._blocks.append([])

    def nested(self, levels: int) -> Page:
        return Page(self._blocks, indent=self._indent + levels)

    @property
    def plain(self) -> str:
        """With its tabs."""
        return "".join(part for block in self._blocks for part in block)

    @property
    def text(self) -> str:
        """In columns."""
        written: list[str] = []
        for block in self._blocks:
            tabs = TabWriter(written.append, narrowest=0, padding=2, remembers=False)
            tabs.write("".join(block))
            tabs.flush()
        return "".join(written)
