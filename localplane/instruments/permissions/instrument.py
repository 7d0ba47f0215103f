"""/localplane/v1/rbac: the same for clients.

GET  users                                              {"users": [...]}
GET  minimal?user=U&resourceNames=true&all=true&name=N  {"user": U, "objects": [...], "warnings": [...]}
POST check?user=U&namespace=N   {"objects": [...]}      {"missing": [...], "unused": [...], "wide": [...]}
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from localplane.apimachinery.errors import BadRequest
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.names import path_segment_name
from localplane.apiserver.authorization import Demand, Demands
from localplane.apiserver.request import Answer, Query, Request
from localplane.instruments.parameters import expect, switch
from localplane.instruments.table import allow, answer_json, missing, read_json

from .check import InvalidRoles, check_roles
from .minimal import minimal_rbac

_MOST_NAMED = 20


class Permissions:
    """The instrument."""

    def __init__(self, demands: Demands) -> None:
        self._demands = demands

    async def handle(self, request: Request, rest: str) -> Answer:
        if rest == "users":
            allow(request, "GET")
            return answer_json({"users": self._demands.users()})
        if rest == "minimal":
            allow(request, "GET")
            return await self._minimal(request)
        if rest == "check":
            allow(request, "POST")
            return await self._check(request)
        raise missing(f"rbac has no {go_quote(rest)}; it has: check, minimal, users")

    async def _minimal(self, request: Request) -> Answer:
        query = request.query
        user, demands = self._asked(query, {"user", "resourceNames", "all", "name"})
        name = query.get("name")
        if problems := path_segment_name(name):
            raise BadRequest(f"{go_quote(name)} can't be the name of a role: {problems[0]}")
        names, everything = switch(query, "resourceNames"), switch(query, "all")
        found = await request.work.elsewhere(
            lambda: minimal_rbac(user, demands, resource_names=names, everything=everything, name=name)
        )
        warnings = [*found.warnings]
        if self._demands.forgotten:
            warnings.append(f"{self._demands.forgotten} requests were more than is kept: the roles may be too small")
        return answer_json({"user": user, "objects": found.objects, "warnings": warnings})

    async def _check(self, request: Request) -> Answer:
        user, demands = self._asked(request.query, {"user", "namespace"})
        body = await read_json(request)
        objects: Any = body.get("objects") if isinstance(body, dict) else None
        if not isinstance(objects, list):
            raise BadRequest('the body has no list of "objects"')
        namespace = request.query.get("namespace") or "default"
        try:
            found = await request.work.elsewhere(lambda: check_roles(user, demands, objects, namespace=namespace))
        except InvalidRoles as error:
            raise BadRequest(str(error)) from error
        return answer_json({"user": user, **found.document()})

    def _asked(self, query: Query, known: set[str]) -> tuple[str, Sequence[Demand]]:
        """Raises BadRequest without a user, and NotFound for one who has not asked for anything."""
        expect(query, known)
        user = query.get("user")
        if not user:
            raise BadRequest("say for which user")
        demands = self._demands.of(user)
        if not demands:
            raise missing(f"{go_quote(user)} has not asked for anything yet; who has: {_listed(self._demands.users())}")
        return user, demands


def _listed(users: Sequence[str]) -> str:
    more = f" and {len(users) - _MOST_NAMED} more" if len(users) > _MOST_NAMED else ""
    return (", ".join(users[:_MOST_NAMED]) or "nobody") + more
