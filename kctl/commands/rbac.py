"""`kctl rbac`: which permissions somebody needs, by what he has asked a local control plane for."""

from __future__ import annotations

from collections.abc import Sequence

import orjson

from kctl.command_line import standard_flags
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet, switch
from kctl.errors import UsageError
from kctl.objects import Info, Query, resolve
from kctl.printers.terminal import escape
from kctl.session import instruments
from kctl.session.session import Session
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.serializers import to_yaml

_ACCOUNTS = ("sa/", "serviceaccount/", "serviceaccounts/")
_FOR = Flag(
    "for", usage="Whose: a user's name, or a service account as sa/NAME or system:serviceaccount:NAMESPACE:NAME."
)


async def minimal(session: Session, flags: FlagSet) -> None:
    output = _format(flags, ("yaml", "json"))
    query = [("user", _user(session, flags)), ("name", flags.text("name"))]
    query += [
        (name, "true") for flag, name in (("resource-names", "resourceNames"), ("all", "all")) if flags.is_on(flag)
    ]
    told = await instruments.ask(session, "GET", "rbac/minimal", query=[pair for pair in query if pair[1]])
    for warning in told["warnings"]:
        session.warn(warning)
    objects = told["objects"]
    if output == "json":
        listed = {"apiVersion": "v1", "kind": "List", "items": objects, "metadata": {}}
        session.write_object(orjson.dumps(listed, option=orjson.OPT_INDENT_2).decode() + "\n")
    elif objects:
        session.write_object("---\n".join(to_yaml(obj).decode() for obj in objects))
    else:
        session.say(f"{told['user']} needs no role: everybody may do what it has done.\n")


async def check(session: Session, flags: FlagSet) -> int:
    output = _format(flags, ("json",))
    if not flags.texts("filename") and not flags.text("kustomize"):
        raise UsageError("must specify one of -f and -k")
    user = _user(session, flags)
    objects: list[JSONObject] = []

    async def add(info: Info) -> None:
        objects.append(info.object or {})

    result = await resolve(session, Query.of(flags)._replace(flatten=True, local=True))
    await result.each(add)
    query = [("user", user), ("namespace", session.namespace)]
    told = await instruments.ask(session, "POST", "rbac/check", query=query, body={"objects": objects})
    if output == "json":
        session.write_object(orjson.dumps(told, option=orjson.OPT_INDENT_2).decode() + "\n")
    else:
        session.write("".join(f"{line}\n" for line in _lines(told)))
    too_wide = bool(told["unused"] or told["wide"])
    return 1 if told["missing"] or (too_wide and flags.is_on("strict")) else 0


def _format(flags: FlagSet, formats: Sequence[str]) -> str:
    output = flags.text("output")
    if output and output not in formats:
        raise UsageError(f'there is no output format "{output}" here: it is one of {", ".join(formats)}')
    return output


def _user(session: Session, flags: FlagSet) -> str:
    """As a server knows him."""
    if flags.arguments:
        raise UsageError(f'"{flags.arguments[0]}" is too much: the user is said with --for')
    user = flags.text("for")
    if not user:
        raise UsageError("say whose permissions with --for: a user's name, or sa/NAME")
    for prefix in _ACCOUNTS:
        if user.startswith(prefix):
            return f"system:serviceaccount:{session.namespace}:{user.removeprefix(prefix)}"
    return user


def _lines(told: JSONObject) -> list[str]:
    lines: list[str] = []
    for name, title in (
        ("missing", "Missing: asked for, and not granted"),
        ("unused", "Unused: granted, and not asked for"),
        ("wide", "Too wide: granted with a *"),
    ):
        if told[name]:
            lines += [f"{title}", *(f"  {_line(finding)}" for finding in told[name])]
    return lines or [f"{escape(told['user'])} has asked for just what it is granted."]


def _line(finding: JSONObject) -> str:
    where = finding.get("role") or (f"in {finding['namespace']}" if finding.get("namespace") else "everywhere")
    asked = "; ".join(_told(rule) for rule in finding.get("asked") or ())
    return escape(f"{where}: {_told(finding['rule'])}" + (f"   (asked for: {asked})" if asked else ""))


def _told(rule: JSONObject) -> str:
    verbs = ",".join(rule["verbs"])
    if "nonResourceURLs" in rule:
        return f"{verbs} {' '.join(rule['nonResourceURLs'])}"
    resources = [
        (f"{resource}.{group}" if not subresource else f"{resource}.{group}/{subresource}") if group else full
        for group in rule["apiGroups"]
        for full in rule["resources"]
        for resource, _, subresource in (full.partition("/"),)
    ]
    names = f" {','.join(rule['resourceNames'])}" if rule.get("resourceNames") else ""
    return f"{verbs} {','.join(resources)}{names}"


COMMAND = Command(
    "rbac",
    "rbac",
    "See which permissions somebody needs, by what he has asked for",
    description="""\
A control plane of 'kctl up' remembers what everybody has asked it for, since it was started, whether he was allowed to
or not. Run your operator against it, with any permissions, and see afterwards which ones it needs.""",
    examples="""\
# Which roles does my operator need?
kctl rbac minimal --for sa/operator

# Are the roles that we ship enough, and no more than that?
kctl rbac check -f deploy/rbac.yaml --for sa/operator --strict""",
    commands=(
        Command(
            "minimal",
            "minimal --for USER [--resource-names] [-o yaml|json]",
            "Print the roles and bindings that cover exactly what somebody has asked for",
            run=minimal,
            flags=(
                _FOR,
                switch("resource-names", "Name the objects in the rules, where all of them were asked for by name."),
                switch(
                    "all",
                    "With what everybody may do anyway (discovery, health, questions about oneself), "
                    "and what only a local control plane has (/localplane).",
                ),
                Flag("name", usage="What the roles are called. Default: after the user."),
                Flag("output", usage="Output format, one of: yaml, json. Default: yaml.", short="o"),
            ),
            description="""\
Print a ClusterRole for what was asked for across namespaces, and a Role for each namespace, with their bindings. What
was refused counts as asked for.""",
            examples="""\
# What did the operator ask for?
kctl rbac minimal --for sa/operator -n operators

# Give jane just what she has used so far
kctl rbac minimal --for jane | kctl apply -f -

# Only the objects that it has really touched
kctl rbac minimal --for system:serviceaccount:shop:web --resource-names""",
        ),
        Command(
            "check",
            "check -f FILENAME --for USER [--strict]",
            "Show what is missing in roles for what somebody has asked for, and what is too much",
            run=check,
            flags=(
                *standard_flags.filename_flags("with the roles, and their bindings if there are any."),
                _FOR,
                switch("strict", "Fail if something is too much, too."),
                Flag("output", usage="Output format: json.", short="o"),
            ),
            description="""\
Compare roles with what a user has asked for. Those that the bindings in the files give him count; without any binding
all roles do. Exits with 1 if something is missing, and with --strict if something was not asked for or has a *.""",
            examples="""\
# Is the role enough?
kctl rbac check -f role.yaml --for sa/operator

# ... and no more than that? For CI
kctl rbac check -k config/rbac --for sa/operator --strict -o json""",
        ),
    ),
)
