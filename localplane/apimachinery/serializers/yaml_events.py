"""YAML text as events, from libyaml where it is installed, with faults in go-yaml's words.

go-yaml v2 is a translation of libyaml, so they agree on nearly every document and sentence.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .errors import YAMLError

if TYPE_CHECKING:
    import yaml

# The pure Python parser speaks a little differently.
_WORDS = {
    "mapping values are not allowed here": "mapping values are not allowed in this context",
    "special characters are not allowed": "control characters are not allowed",
}


def events(text: bytes | str) -> Iterator[Any]:
    """All events up to the end of the stream. Raises YAMLError.

    The parser is imported when the first body needs it: most servers never see YAML.
    """
    import yaml

    try:
        parser = _parser(text)
        while (event := parser.get_event()) is not None:
            yield event
    except yaml.reader.ReaderError as error:
        raise YAMLError(f"yaml: {_WORDS.get(error.reason, error.reason)}") from None
    except yaml.MarkedYAMLError as error:
        raise YAMLError(f"yaml: {_place(error)}{_problem(error)}") from None
    except yaml.YAMLError as error:
        raise YAMLError(f"yaml: {error}") from None
    except UnicodeError:
        raise YAMLError("yaml: invalid Unicode character") from None


def _parser(text: bytes | str) -> Any:
    """Only the parser of a loader is used: it makes events, never objects."""
    import yaml

    return yaml.CSafeLoader(text) if yaml.__with_libyaml__ else yaml.SafeLoader(text)


def _problem(error: yaml.MarkedYAMLError) -> str:
    problem = error.problem or "unknown problem parsing YAML content"
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
