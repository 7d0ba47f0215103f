"""Commands made of options: typer reads from them the flags that the options' fields carry."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from datetime import timedelta
from typing import Annotated, Any, TypeVar

import typer

from localplane.apimachinery.times import InvalidDuration, parse_duration
from localplane.apiserver.server.flags import DeclaredFlag, flags_of, with_values

from .errors import OptionsContradict

T = TypeVar("T")


def command(options: type[T], run: Callable[[T], int], *, dashed: str = "") -> Callable[..., None]:
    """A command for whoever wants to give it a name and a help text. `run` returns the exit code. `dashed` is the field
    that gets what stands behind `--`, which is the context's object: the parser would mix it with other words."""
    declared = flags_of(options)

    def invoked(context: typer.Context, **words: Any) -> None:
        values: dict[tuple[str, ...], Any] = {each.path: _value(each, words[each.key]) for each in declared}
        if dashed and context.obj is not None:
            if not context.obj:
                raise OptionsContradict("there is no command behind `--`")
            values[dashed,] = tuple(context.obj)
        raise typer.Exit(run(with_values(options(), values)))

    parameters = [inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)] + [
        inspect.Parameter(each.key, inspect.Parameter.KEYWORD_ONLY, default=each.unsaid, annotation=_annotation(each))
        for each in declared
    ]
    invoked.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined] # what inspect looks for
    invoked.__annotations__ = {each.name: each.annotation for each in parameters}
    return invoked


def _value(declared: DeclaredFlag, words: Any) -> Any:
    try:
        return declared.value(words)
    except ValueError as error:
        raise OptionsContradict(str(error)) from error


def _annotation(declared: DeclaredFlag) -> Any:
    flag = declared.flag
    names = [flag.name, flag.short] if flag.short else [flag.name]
    option = typer.Option(*names, metavar=flag.metavar, help=flag.help, show_default=flag.shows_default)
    words = declared.words if declared.unsaid is not None else declared.words | None
    return Annotated[words, option]


def duration(text: str) -> timedelta:
    """The value of --timeout in Go's form."""
    try:
        return parse_duration(text)
    except InvalidDuration as error:
        raise OptionsContradict(f'invalid argument "{text}" for "--timeout" flag: {error}') from error
