"""YAML text as events, from libyaml where it is installed, with faults in go-yaml's words.

go-yaml v2 is a translation of libyaml, so they agree on nearly every document and sentence.
"""

from __future__ import annotations

from collections.abc import Iterator

from localplane.apimachinery.light_typing import TYPE_CHECKING, Any

from .errors import YAMLError

if TYPE_CHECKING:
    import yaml

# The pure Python parser speaks a little differently.
_WORDS = {
    "mapping values are not allowed here": "mapping values are not allowed in this context",
    "special characters are not allowed": "control characters are not allowed",
}
_VERSION = (1, 1)
_INCOMPATIBLE = "found incompatible YAML document"


def events(text: bytes | str) -> Iterator[Any]:
    """All events up to the end of the stream. Raises YAMLError.

    The parser is imported when the first body needs it: most servers never see YAML.
    """
    import yaml

    try:
        parser = parser_of(text)
        while (event := parser.get_event()) is not None:
            if getattr(event, "version", None) not in (None, _VERSION):
                raise YAMLError(f"yaml: {_INCOMPATIBLE}")
            yield event
    except yaml.reader.ReaderError as error:
        raise YAMLError(f"yaml: {problem_of(error.reason)}") from None
    except yaml.MarkedYAMLError as error:
        problem = (
            _INCOMPATIBLE if _is_of_another_version(error, text) else f"{_place(error)}{problem_of(error.problem)}"
        )
        raise YAMLError(f"yaml: {problem}") from None
    except yaml.YAMLError as error:
        raise YAMLError(f"yaml: {error}") from None
    except UnicodeError:
        raise YAMLError("yaml: invalid Unicode character") from None


def parser_of(text: bytes | str) -> Any:
    """Only the parser of a loader is used: it makes events, never objects."""
    import yaml

    return yaml.CSafeLoader(text) if yaml.__with_libyaml__ else yaml.SafeLoader(text)


def _is_of_another_version(error: yaml.MarkedYAMLError, text: bytes | str) -> bool:
    """go-yaml minds a directive's version before it minds that nothing follows it."""
    if error.problem != "did not find expected <document start>":
        return False
    first = (text if isinstance(text, str) else text.decode("utf-8", "replace")).split("\n", 1)[0].split()
    return first[:1] == ["%YAML"] and first[1:2] != ["1.1"]


def problem_of(problem: str | None) -> str:
    """What a fault is called in Go."""
    problem = problem or "unknown problem parsing YAML content"
    return _WORDS.get(problem, problem)


def _place(error: yaml.MarkedYAMLError) -> str:
    """Lines are counted from one in the scanner's faults and from zero in the parser's; and zero is not told."""
    from yaml.scanner import ScannerError

    problem, context = error.problem_mark, error.context_mark
    if problem is not None and problem.line:
        line = problem.line + isinstance(error, ScannerError)
    else:
        line = context.line if context is not None else 0
    return f"line {line}: " if line else ""
