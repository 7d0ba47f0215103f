"""The rules of a custom resource in one of its versions. Kubernetes: pkg/registry/customresource."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from localplane.apimachinery.fieldpath import ErrorType, FieldError, Path, collected, invalid
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.names import dns1123_subdomain, qualified_name
from localplane.apimachinery.objectmeta import validate_object_meta
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.schema import Schema
from localplane.apiserver.registry.strategy import StatusStrategy, Strategy, TakesLong
from localplane.apiserver.request import Request

from .nested import WrongKind, nested_integer, nested_text

if TYPE_CHECKING:
    from localplane.apimachinery.cel.rules.rules import CompiledRules

_MAX_INT32: Final = 2**31 - 1
_BLOCKING: Final = frozenset(
    {ErrorType.NOT_SUPPORTED, ErrorType.REQUIRED, ErrorType.TOO_LONG, ErrorType.TOO_MANY, ErrorType.TYPE_INVALID}
)
_NOT_CHECKED: Final = (
    "some validation rules were not checked because the object was invalid; correct the existing errors to complete"
    " validation"
)
_PATIENCE: Final = 10_000
"""What rules may cost before they go on in a thread: a millisecond, or twenty where each call is a heavy one."""
_STANDARD_FINALIZERS: Final = ("orphan", "foregroundDeletion", "kubernetes")


class CustomStrategy(Strategy):
    """`scale` is what the definition says of that subresource, if there is one. The schema and its rules are made when
    the first object comes."""

    validates_schema = False

    def __init__(
        self,
        schema: Callable[[], Schema],
        rules: Callable[[], CompiledRules | None],
        *,
        namespaced: bool,
        scale: Mapping[str, str] | None = None,
    ) -> None:
        self._schema = schema
        self._rules = rules
        self._namespaced = namespaced
        self.scale = scale

    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        errors = collected(
            validate_object_meta(obj["metadata"], namespaced=self._namespaced, validate_name=dns1123_subdomain),
            self._schema().validate(obj),
            self.scale_errors(obj),
        )
        return self.with_rules(request, errors, obj, None)

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        errors = [*self._schema().validate(obj, old), *self.scale_errors(obj)]
        return self.with_rules(request, errors, obj, old)

    def validate_status(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        errors = collected(self._schema().validate(obj, old, only="status"), self.scale_errors(obj, only_status=True))
        return self.with_rules(request, errors, obj, old)

    def with_rules(
        self, request: Request, errors: list[FieldError], obj: JSONObject, old: JSONObject | None
    ) -> list[FieldError]:
        """The rules are only asked about objects whose fields are what they expect."""
        rules = self._rules()
        if rules is None:
            return errors
        if any(error.type in _BLOCKING for error in errors):
            return [*errors, invalid(Path(), None, _NOT_CHECKED)]
        from localplane.apimachinery.cel import Unfinished  # which the rules have imported

        try:
            return errors + rules.validate(obj, old, Path(), patience=None if request.heavy else _PATIENCE)
        except Unfinished:
            raise TakesLong from None

    def scale_errors(self, obj: JSONObject, *, only_status: bool = False) -> Iterator[FieldError]:
        if self.scale is None:
            return
        for key in ("statusReplicasPath",) if only_status else ("specReplicasPath", "statusReplicasPath"):
            yield from _replicas_errors(obj, self.scale.get(key, ""))
        selector = self.scale.get("labelSelectorPath")
        if selector:
            try:
                nested_text(obj, selector)
            except WrongKind as error:
                yield invalid(selector, "", str(error))

    def warnings_on_create(self, request: Request, obj: JSONObject) -> Sequence[str]:
        return list(_finalizer_warnings(obj["metadata"].get("finalizers") or ()))

    def warnings_on_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[str]:
        known = set(old["metadata"].get("finalizers") or ())
        return list(_finalizer_warnings(each for each in obj["metadata"].get("finalizers") or () if each not in known))


class CustomStatusStrategy(StatusStrategy):
    def __init__(self, main: CustomStrategy) -> None:
        super().__init__(main)
        self._custom = main

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return self._custom.validate_status(request, obj, old)


def _replicas_errors(obj: JSONObject, path: str) -> Iterator[FieldError]:
    try:
        replicas = nested_integer(obj, path) or 0
    except WrongKind as error:
        yield invalid(path, 0, str(error))
        return
    if replicas < 0:
        yield invalid(path, replicas, "should be a non-negative integer")
    elif replicas > _MAX_INT32:
        yield invalid(path, replicas, f"should be less than or equal to {_MAX_INT32}")


def _finalizer_warnings(finalizers: Any) -> Iterator[str]:
    for name in sorted(set(finalizers)):
        about = f"metadata.finalizers: {go_quote(name)}"
        yield from (f"{about}: {problem}" for problem in qualified_name(name))
        if "/" in name or name in _STANDARD_FINALIZERS:
            continue
        what = (
            "a domain-qualified finalizer name including a path (/)"
            if "." in name
            else ("a domain-qualified finalizer name")
        )
        yield f"{about}: prefer {what} to avoid accidental conflicts with other finalizer writers"
