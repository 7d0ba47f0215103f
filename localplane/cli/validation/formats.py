"""Findings as people, programs and GitHub read them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from localplane import __version__

from .findings import Finding, Rule, Subject, Verdict

_SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_RULES: Mapping[Rule, str] = {
    Rule.UNREADABLE: "A file can't be read.",
    Rule.SYNTAX: "A document is neither YAML nor JSON.",
    Rule.NOT_AN_OBJECT: "A document has no apiVersion or no kind.",
    Rule.UNKNOWN_KIND: "No server and no given definition serves this kind.",
    Rule.UNKNOWN_FIELD: "The kind has no such field.",
    Rule.DUPLICATE_FIELD: "A field is there twice.",
    Rule.WRONG_TYPE: "A value has another type than its field.",
    Rule.INVALID: "A value breaks a rule of its kind.",
    Rule.DENIED: "An admission plugin or policy refuses the object.",
    Rule.REFUSED: "A server refuses the object.",
    Rule.DEFINED_TWICE: "The same object is given twice.",
    Rule.NOT_ESTABLISHED: "A custom resource definition can't be served.",
    Rule.WARNING: "A server would warn about it.",
}


def as_text(verdict: Verdict) -> str:
    lines = [_line(finding) for finding in verdict.findings]
    return "".join(f"{line}\n" for line in [*lines, _summary(verdict)])


def _line(finding: Finding) -> str:
    place = finding.place
    where = ":".join([place.file, *(str(number) for number in (place.line, place.column) if number)])
    about = f"{finding.subject}: " if finding.subject.kind else ""
    return f"{where}: {finding.level}: {about}{finding.message}"


def _summary(verdict: Verdict) -> str:
    skipped = f", {len(verdict.skipped)} skipped" if verdict.skipped else ""
    warned = f", {_count(len(verdict.warnings), 'warning')}" if verdict.warnings else ""
    about = f"{_count(verdict.objects, 'object')} in {_count(verdict.files, 'file')}"
    if verdict.is_valid:
        return f"{about}: valid{warned}{skipped}"
    return f"{about}: {_count(len(verdict.errors), 'error')}{warned}{skipped}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def as_json(verdict: Verdict) -> str:
    document = {
        "valid": verdict.is_valid,
        "files": verdict.files,
        "objects": verdict.objects,
        "skipped": [_subject(subject) for subject in verdict.skipped],
        "findings": [_finding(finding) for finding in verdict.findings],
    }
    return json.dumps(document, indent=2) + "\n"


def _finding(finding: Finding) -> dict[str, Any]:
    place = finding.place
    told: dict[str, Any] = {"level": finding.level, "rule": finding.rule, "file": place.file}
    told |= {name: value for name, value in (("line", place.line), ("column", place.column)) if value}
    if finding.subject.kind:
        told["object"] = _subject(finding.subject)
    if finding.field:
        told["field"] = finding.field
    return {**told, "message": finding.message}


def _subject(subject: Subject) -> dict[str, str]:
    pairs = {
        "apiVersion": subject.api_version,
        "kind": subject.kind,
        "namespace": subject.namespace,
        "name": subject.name,
    }
    return {name: value for name, value in pairs.items() if value}


def as_sarif(verdict: Verdict) -> str:
    """SARIF 2.1.0, as code scanning takes it: paths relative to where it was run."""
    used = list(dict.fromkeys(finding.rule for finding in verdict.findings))
    rules = [{"id": rule, "shortDescription": {"text": _RULES[rule]}} for rule in used]
    driver = {"name": "kctl validate", "semanticVersion": __version__, "rules": rules}
    results = [_result(finding, used.index(finding.rule)) for finding in verdict.findings]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return json.dumps({"$schema": _SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _result(finding: Finding, index: int) -> dict[str, Any]:
    place = finding.place
    region = {"startLine": place.line or 1, **({"startColumn": place.column} if place.column else {})}
    location: dict[str, Any] = {"physicalLocation": {"artifactLocation": {"uri": _uri(place.file)}, "region": region}}
    about = f"{finding.subject}: " if finding.subject.kind else ""
    if finding.field:
        location["logicalLocations"] = [{"fullyQualifiedName": finding.field, "kind": "member"}]
    return {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": finding.level,
        "message": {"text": about + finding.message},
        "locations": [location],
    }


def _uri(file: str) -> str:
    path = PurePath(os.path.normpath(file))
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())


def as_github(verdict: Verdict) -> str:
    """Workflow commands, which become annotations of the lines, and the summary for the log."""
    return "".join([*map(_annotation, verdict.findings), f"{_summary(verdict)}\n"])


def _annotation(finding: Finding) -> str:
    place = finding.place
    properties = {"file": place.file, "line": place.line, "col": place.column, "title": str(finding.subject)}
    told = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items() if value)
    return f"::{finding.level} {told}::{_data(finding.message)}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


FORMATS: Mapping[str, Callable[[Verdict], str]] = {
    "text": as_text,
    "json": as_json,
    "sarif": as_sarif,
    "github": as_github,
}
