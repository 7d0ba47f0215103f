"""What is wrong with a document, or should be known of it, and where that stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class Level(StrEnum):
    ERROR = "error"
    WARNING = "warning"


class Rule(StrEnum):
    """What sort of thing it is, for programs. The value is what is printed."""

    UNREADABLE = "unreadable"
    SYNTAX = "syntax"
    NOT_AN_OBJECT = "not-an-object"
    UNKNOWN_KIND = "unknown-kind"
    UNKNOWN_FIELD = "unknown-field"
    DUPLICATE_FIELD = "duplicate-field"
    WRONG_TYPE = "wrong-type"
    INVALID = "invalid"
    DENIED = "denied"
    REFUSED = "refused"
    DEFINED_TWICE = "defined-twice"
    NOT_ESTABLISHED = "not-established"
    WARNING = "server-warning"


@dataclass(frozen=True, slots=True)
class Place:
    """Lines and columns are counted from one; zero is unknown, as of what was built and not written."""

    file: str
    line: int = 0
    column: int = 0


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom it is about."""

    api_version: str = ""
    kind: str = ""
    namespace: str = ""
    name: str = ""

    def __str__(self) -> str:
        name = f"{self.namespace}/{self.name}" if self.namespace and self.name else self.name
        return f"{self.kind} {name}".strip()


@dataclass(frozen=True, slots=True)
class Finding:
    place: Place
    rule: Rule
    message: str
    level: Level = Level.ERROR
    subject: Subject = Subject()
    field: str = ""


@dataclass(slots=True)
class Verdict:
    """All that was found. `skipped` are objects whose kind nobody knows and that were to be passed over."""

    files: int = 0
    objects: int = 0
    findings: list[Finding] = field(default_factory=list)
    skipped: list[Subject] = field(default_factory=list)

    @property
    def errors(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.level is Level.ERROR]

    @property
    def warnings(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.level is Level.WARNING]

    @property
    def is_valid(self) -> bool:
        return not self.errors
