"""/localplane/v1/faults: the rules by which things go wrong on purpose.

    GET     faults              the rules with their counts, and what they struck, in order: {"rules": [], "record": []}
    GET     faults?rule=NAME    the same for one rule
    POST    faults              one rule, a list of them, or {"rules": []}: all are added, or none; answers the same
    DELETE  faults/NAME         removes one rule; {"removed": 1}
    DELETE  faults              removes all of them, and forgets the record; {"removed": 3}

The form of a rule is in `apiserver/faults/rule_form`. What is shown has in `status` how many requests it `matched`, how
many `hits` it had, and whether it is `over`; it may be sent again as it is, and a rule with a probability has its seed,
so that the same requests in the same order are struck again. A record has the number of the hit, its time, the rule,
and the request: verb, path, user, userAgent, and `inside` for one of the plane's own.

Rules strike what comes over the socket, never the instruments. The plane's own controllers, scheduler and nodes come
without one, and are struck only by a rule that says `inside`; a store, a webhook or an aggregated API that is down is
so for them too.
"""

from __future__ import annotations

from typing import Any

import orjson

from localplane.apimachinery.errors import AlreadyExists, BadRequest
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.faults import Faults, RuleExists
from localplane.apiserver.faults.active_rule import ActiveRule, Hit
from localplane.apiserver.faults.rule_form import InvalidRule, read_rules, rule_form
from localplane.apiserver.request import Answer, Request

from .table import allow, answer_items, answer_json, missing, read_json


class FaultsInstrument:
    def __init__(self, faults: Faults) -> None:
        self._faults = faults

    async def answer(self, request: Request, name: str) -> Answer:
        """What is mounted."""
        if name:
            allow(request, "DELETE")
            if not self._faults.remove(name):
                raise no_rule(self._faults, name)
            return answer_json({"removed": 1})
        allow(request, "GET", "POST", "DELETE")
        if request.method == "GET":
            return self._shown(request.query.get("rule"))
        if request.method == "DELETE":
            return answer_json({"removed": self._faults.clear()})
        return answer_json({"rules": add_rules(self._faults, await read_json(request))}, status=201)

    def _shown(self, name: str) -> Answer:
        if name and self._faults.rule(name) is None:
            raise no_rule(self._faults, name)
        rules = [rule_shown(one) for one in self._faults.rules if name in ("", one.rule.name)]
        record = [hit for hit in self._faults.record if name in ("", hit.rule)]
        return answer_items({"rules": rules}, "record", (orjson.dumps(hit_shown(hit)) for hit in record))


def add_rules(faults: Faults, form: Any) -> list[JSONObject]:
    """Those that were added, as they are shown. Raises BadRequest and AlreadyExists, and has added none then."""
    try:
        return [rule_shown(one) for one in faults.add(read_rules(form))]
    except RuleExists as error:
        raise AlreadyExists(str(error)) from error
    except (InvalidRule, ValueError) as error:
        raise BadRequest(str(error)) from error


def no_rule(faults: Faults, name: str) -> Exception:
    known = ", ".join(one.rule.name for one in faults.rules)
    return missing(f"there is no rule {go_quote(name)}; there are: {known}" if known else "there are no rules")


def rule_shown(one: ActiveRule) -> JSONObject:
    status: JSONObject = {"matched": one.matched, "hits": one.hits, "over": one.is_over}
    return {**rule_form(one.rule), "status": status}


def hit_shown(hit: Hit) -> JSONObject:
    subject = hit.subject
    shown: JSONObject = {"number": hit.number, "time": hit.time, "rule": hit.rule, "verb": subject.verb}
    others = {"path": subject.path, "user": subject.user, "userAgent": subject.user_agent, "inside": subject.inside}
    return shown | {key: value for key, value in others.items() if value}
