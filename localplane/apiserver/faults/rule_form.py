"""Rules as JSON, which files, the instrument and the command line share.

    name: conflicts                 # optional
    match:                          # all that is given has to fit; * stands for any letters
      users: [alice, "system:serviceaccount:shop:*"]
      groups: [developers]
      userAgents: ["my-operator/*"]
      verbs: [update, patch]        # get list watch create update patch delete deletecollection
      resources: [deployments, deployments.apps/status, "*/scale"]
      namespaces: [shop]
      names: [web]
      paths: ["/apis/apps/*"]       # without it, resources alone
      inside: true                  # also the plane's own controllers, scheduler and nodes
    when:                           # by default always
      first: 2                      # the first two that match
      every: 3                      # each third
      from: 5                       # from the fifth to the ninth
      to: 9
      probability: 0.1
      seed: 7                       # the same choices again
      for: 30s                      # then the rule is over
    do:                             # one of these, after `latency` if there is one
      latency: 300ms
      answer: 409                   # 401 403 404 409 410 429 500 503 504
      afterWrite: true              #   it is carried out, and its answer thrown away
      retryAfter: 2s                #   with 429, 503 and 504
      message: try later            #   instead of Kubernetes' own
      cut: before                   # before, after or in the middle of the answer
      watch: {end: cut, afterEvents: 5, after: 10s, bookmarks: false, delay: 1s}     # end: close, cut or expire
      stale: 5s                     # reads with resourceVersion=0 see what was there so long ago
      down: webhooks                # webhooks or apiServices, all or those in match.names; or store

Everything that can be wrong with one is said in one sentence, with the place where it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from enum import StrEnum
from typing import Any, Final, TypeVar

from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import InvalidDuration, format_duration, parse_duration

from .rule import Cut, Down, Ending, Fault, Occasion, ResourcePattern, Rule, Selection, WatchFault

E = TypeVar("E", bound=StrEnum)

ANSWERS: Final = (401, 403, 404, 409, 410, 429, 500, 503, 504)
_LATER: Final = (429, 503, 504)
VERBS: Final = ("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection")
_METHODS: Final = ("post", "put", "head", "options")
_READS: Final = ("get", "list")
_NAME: Final = re.compile(r"[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?")
_LONGEST: Final = timedelta(hours=24)
_MOST_VALUES: Final = 100
_MOST_RULES: Final = 1000
_LARGEST_NUMBER: Final = 2**53
_TEXTS: Final = ("users", "groups", "userAgents", "verbs", "resources", "namespaces", "names", "paths")
_KINDS: Final = ("answer", "cut", "watch", "stale", "down")


class InvalidRule(ValueError):
    """The text says where, what was found and what was wanted."""


def read_rules(value: Any) -> list[Rule]:
    """One rule, a list of them, or a mapping with `rules`, which may have been shown with its record. Raises
    InvalidRule."""
    if isinstance(value, Mapping) and "rules" in value:
        _known(value, ("rules", "record"), "the document")
        value = value["rules"]
    forms = value if isinstance(value, list) else [value]
    if not forms:
        raise InvalidRule("there are no rules")
    if len(forms) > _MOST_RULES:
        raise InvalidRule(f"there are {len(forms)} rules, and {_MOST_RULES} are the most")
    rules = []
    for number, form in enumerate(forms, 1):
        try:
            rules.append(_rule(form))
        except InvalidRule as error:
            raise InvalidRule(f"rule {_called(form, number)}: {error}" if len(forms) > 1 else str(error)) from None
    return rules


def _called(form: Any, number: int) -> str:
    name = form.get("name") if isinstance(form, Mapping) else None
    return go_quote(name) if isinstance(name, str) and name else str(number)


def _rule(form: Any) -> Rule:
    fields = _mapping(form, "a rule")
    _known(fields, ("name", "match", "when", "do", "status"), "a rule")
    if "do" not in fields:
        raise InvalidRule("it says nothing of what happens: give it a `do`")
    name = _text(fields, "name", "name")
    if name and not _NAME.fullmatch(name):
        raise InvalidRule(
            f"name {go_quote(name)} is not one that a rule can have: use up to 63 of a-z, 0-9, '-' and '.'"
        )
    match = _mapping(fields.get("match", {}), "match")
    fault = _fault(_mapping(fields["do"], "do"))
    occasion = _occasion(_mapping(fields.get("when", {}), "when"), fault)
    return Rule(name, _selection(match, fault), occasion, fault)


def _selection(fields: Mapping[str, Any], fault: Fault) -> Selection:
    _known(fields, (*_TEXTS, "inside"), "match")
    values = {key: _texts(fields, key) for key in _TEXTS}
    inside = _switch(fields, "inside", "match.inside")
    if fault.down is not None:
        _refuse_for_down(fields, fault.down)
    for verb in values["verbs"]:
        if verb not in (*VERBS, *(_METHODS if values["paths"] else ())):
            raise InvalidRule(f"match.verbs: {go_quote(verb)} is not a verb: use {', '.join(VERBS)}")
    wanted = ("watch",) if fault.watch is not None else _READS if fault.stale is not None else ()
    if wanted and values["verbs"] and not set(values["verbs"]) <= set(wanted):
        kind = "do.watch" if fault.watch is not None else "do.stale"
        raise InvalidRule(f"match.verbs: {kind} is about {', '.join(wanted)} alone, not {', '.join(values['verbs'])}")
    resources = []
    for text in values["resources"]:
        try:
            resources.append(ResourcePattern.parse(text))
        except ValueError:
            raise InvalidRule(
                f"match.resources: {go_quote(text)} is none: use RESOURCE, RESOURCE.GROUP or RESOURCE/SUBRESOURCE, "
                "in the plural"
            ) from None
    return Selection(
        users=values["users"],
        groups=values["groups"],
        user_agents=values["userAgents"],
        verbs=values["verbs"] or wanted,
        resources=tuple(resources),
        namespaces=values["namespaces"],
        names=values["names"],
        paths=values["paths"],
        inside=inside,
    )


def _refuse_for_down(fields: Mapping[str, Any], down: Down) -> None:
    """What is down is so for all requests; names are those of what is down."""
    taken = () if down is Down.STORE else ("names",)
    if other := [key for key in fields if key not in taken]:
        takes = "match.names alone" if taken else "no match"
        raise InvalidRule(f"do.down: {down} takes {takes}: it is so for all requests, so leave out {', '.join(other)}")


def _occasion(fields: Mapping[str, Any], fault: Fault) -> Occasion:
    _known(fields, ("first", "every", "from", "to", "probability", "seed", "for"), "when")
    if fault.down is Down.STORE and (other := [key for key in fields if key != "for"]):
        raise InvalidRule(f"do.down: store is down for a while, and nothing is counted: leave out {', '.join(other)}")
    start, end = _number(fields, "from", "when.from"), _number(fields, "to", "when.to")
    if start is not None and end is not None and end < start:
        raise InvalidRule(f"when.to is {end}, which is before when.from, {start}")
    probability = fields.get("probability")
    if probability is not None and (
        isinstance(probability, bool) or not isinstance(probability, int | float) or not 0 < probability <= 1
    ):
        raise InvalidRule(f"when.probability is {probability!r}: use a number above 0 and up to 1")
    seed = _number(fields, "seed", "when.seed", least=0)
    if seed is not None and probability is None:
        raise InvalidRule("when.seed is for when.probability, which is missing")
    return Occasion(
        first=_number(fields, "first", "when.first"),
        every=_number(fields, "every", "when.every") or 1,
        start=start or 1,
        end=end,
        probability=probability,
        seed=seed,
        lasts=_duration(fields, "for", "when.for"),
    )


def _fault(fields: Mapping[str, Any]) -> Fault:
    _known(fields, ("latency", "afterWrite", "retryAfter", "message", *_KINDS), "do")
    kinds = [kind for kind in _KINDS if kind in fields]
    if len(kinds) > 1:
        raise InvalidRule(f"do has {' and '.join(kinds)}: a rule does one of them, so make several rules")
    if not kinds and "latency" not in fields:
        raise InvalidRule(f"do says nothing: give one of {', '.join(_KINDS)} and latency")
    answer = _answer(fields)
    return Fault(
        answer=answer,
        message=_text(fields, "message", "do.message"),
        retry_after_seconds=_retry_after(fields, answer),
        after_write=_switch(fields, "afterWrite", "do.afterWrite"),
        latency=_duration(fields, "latency", "do.latency") or timedelta(),
        cut=_choice(fields, "cut", "do.cut", Cut),
        watch=_watch(_mapping(fields["watch"], "do.watch")) if "watch" in fields else None,
        stale=_duration(fields, "stale", "do.stale"),
        down=_choice(fields, "down", "do.down", Down),
    )


def _answer(fields: Mapping[str, Any]) -> int | None:
    answer = fields.get("answer")
    if answer is None:
        for key in ("afterWrite", "retryAfter", "message"):
            if key in fields:
                raise InvalidRule(f"do.{key} is for do.answer, which is missing")
        return None
    if isinstance(answer, bool) or answer not in ANSWERS:
        raise InvalidRule(f"do.answer is {answer!r}: use one of {', '.join(map(str, ANSWERS))}")
    return int(answer)


def _retry_after(fields: Mapping[str, Any], answer: int | None) -> int | None:
    duration = _duration(fields, "retryAfter", "do.retryAfter")
    if duration is None:
        return None
    if answer not in _LATER:
        raise InvalidRule(f"do.retryAfter is for the answers {', '.join(map(str, _LATER))}, not {answer}")
    if duration % timedelta(seconds=1) or not duration:
        raise InvalidRule(f"do.retryAfter is {fields['retryAfter']}: HTTP knows whole seconds alone, from 1")
    return int(duration.total_seconds())


def _watch(fields: Mapping[str, Any]) -> WatchFault:
    _known(fields, ("end", "afterEvents", "after", "bookmarks", "delay"), "do.watch")
    ending = _choice(fields, "end", "do.watch.end", Ending)
    for key in ("afterEvents", "after"):
        if key in fields and ending is None:
            raise InvalidRule(f"do.watch.{key} says when it ends: give do.watch.end too, close, cut or expire")
    fault = WatchFault(
        ending=ending,
        after_events=_number(fields, "afterEvents", "do.watch.afterEvents", least=0),
        after=_duration(fields, "after", "do.watch.after"),
        bookmarks=_switch(fields, "bookmarks", "do.watch.bookmarks", default=True),
        delay=_duration(fields, "delay", "do.watch.delay") or timedelta(),
    )
    if fault == WatchFault():
        raise InvalidRule("do.watch says nothing: give end, delay or bookmarks: false")
    return fault


# --- values ---


def _mapping(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InvalidRule(f"{where} is {_kind(value)}, and should be a mapping")
    return value


def _known(fields: Mapping[str, Any], names: Sequence[str], where: str) -> None:
    for name in fields:
        if name not in names:
            raise InvalidRule(f"{where} has no field {go_quote(str(name))}: it has {', '.join(names)}")


def _text(fields: Mapping[str, Any], key: str, where: str) -> str:
    value = fields.get(key, "")
    if not isinstance(value, str):
        raise InvalidRule(f"{where} is {_kind(value)}, and should be a text")
    return value


def _texts(fields: Mapping[str, Any], key: str) -> tuple[str, ...]:
    values = fields.get(key, [])
    if not isinstance(values, list) or not all(isinstance(value, str) and value for value in values):
        raise InvalidRule(f"match.{key} should be a list of texts, none of them empty")
    if len(values) > _MOST_VALUES:
        raise InvalidRule(f"match.{key} has {len(values)} values, and {_MOST_VALUES} are the most")
    return tuple(values)


def _switch(fields: Mapping[str, Any], key: str, where: str, *, default: bool = False) -> bool:
    value = fields.get(key, default)
    if not isinstance(value, bool):
        raise InvalidRule(f"{where} is {_kind(value)}, and should be true or false")
    return value


def _number(fields: Mapping[str, Any], key: str, where: str, *, least: int = 1) -> int | None:
    value = fields.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= _LARGEST_NUMBER:
        raise InvalidRule(f"{where} is {value!r}: use a whole number from {least}")
    return value


def _duration(fields: Mapping[str, Any], key: str, where: str) -> timedelta | None:
    value = fields.get(key)
    if value is None:
        return None
    try:
        duration = parse_duration(value) if isinstance(value, str) else None
    except InvalidDuration:
        duration = None
    if duration is None:
        raise InvalidRule(f"{where} is {value!r}: use a duration, such as 300ms, 5s or 2m")
    if not timedelta() <= duration <= _LONGEST:
        raise InvalidRule(f"{where} is {value}: use a duration from 0s to {format_duration(_LONGEST)}")
    return duration


def _choice(fields: Mapping[str, Any], key: str, where: str, kind: type[E]) -> E | None:
    value = fields.get(key)
    if value is None:
        return None
    try:
        return kind(value)
    except ValueError:
        raise InvalidRule(f"{where} is {value!r}: use one of {', '.join(kind)}") from None


def _kind(value: Any) -> str:
    match value:
        case None:
            return "nothing"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "a text"
        case list():
            return "a list"
    return "a mapping"


# --- showing ---


def rule_form(rule: Rule) -> JSONObject:
    """What `read_rules` reads as the same rule."""
    form: JSONObject = {"name": rule.name}
    if match := _match_form(rule):
        form["match"] = match
    if when := _when_form(rule.when):
        form["when"] = when
    form["do"] = _fault_form(rule.fault)
    return form


def _match_form(rule: Rule) -> JSONObject:
    match = rule.match
    values: JSONObject = {
        "users": list(match.users),
        "groups": list(match.groups),
        "userAgents": list(match.user_agents),
        "verbs": list(match.verbs),
        "resources": [str(pattern) for pattern in match.resources],
        "namespaces": list(match.namespaces),
        "names": list(match.names),
        "paths": list(match.paths),
        "inside": match.inside,
    }
    return {key: value for key, value in values.items() if value}


def _when_form(when: Occasion) -> JSONObject:
    values: JSONObject = {
        "first": when.first,
        "every": when.every if when.every > 1 else None,
        "from": when.start if when.start > 1 else None,
        "to": when.end,
        "probability": when.probability,
        "seed": when.seed,
        "for": _shown(when.lasts),
    }
    return {key: value for key, value in values.items() if value is not None}


def _fault_form(fault: Fault) -> JSONObject:
    values: JSONObject = {
        "latency": _shown(fault.latency) if fault.latency else None,
        "answer": fault.answer,
        "afterWrite": fault.after_write or None,
        "retryAfter": None if fault.retry_after_seconds is None else f"{fault.retry_after_seconds}s",
        "message": fault.message or None,
        "cut": fault.cut,
        "watch": None if fault.watch is None else _watch_form(fault.watch),
        "stale": _shown(fault.stale),
        "down": fault.down,
    }
    return {key: value for key, value in values.items() if value is not None}


def _watch_form(fault: WatchFault) -> JSONObject:
    values: JSONObject = {
        "end": fault.ending,
        "afterEvents": fault.after_events,
        "after": _shown(fault.after),
        "bookmarks": None if fault.bookmarks else False,
        "delay": _shown(fault.delay) if fault.delay else None,
    }
    return {key: value for key, value in values.items() if value is not None}


def _shown(duration: timedelta | None) -> str | None:
    return None if duration is None else format_duration(duration)
