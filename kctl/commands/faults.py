"""`kctl faults`: what goes wrong on purpose in a plane of `kctl up`, for which requests and how often."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import orjson

from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet, switch
from kctl.errors import KctlError, UsageError
from kctl.objects import files
from kctl.session import instruments
from kctl.session.session import Session
from localplane.apimachinery.light_typing import Any
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.serializers import to_yaml

_FORMATS = ("json", "yaml", "name")
_MATCHES = {
    "user": "users",
    "group": "groups",
    "user-agent": "userAgents",
    "verb": "verbs",
    "resource": "resources",
    "name": "names",
    "path": "paths",
}
_WHEN_NUMBERS = ("first", "every", "from", "to", "seed")
_WITH_FILES = ("filename", "output")
_ENDINGS = ("close", "cut", "expire")


async def add(session: Session, flags: FlagSet) -> None:
    _check_format(flags)
    if filenames := flags.texts("filename"):
        others = [flag.name for flag in _ADD_FLAGS if flag.name not in _WITH_FILES and flags.changed(flag.name)]
        if others or flags.arguments:
            given = f"--{others[0]}" if others else "the name"
            raise UsageError(f"a file has whole rules: put {given} into it, or leave out -f")
        rules = [rule for name in files.sources(filenames, recursive=False).names for rule in _rules_of(name)]
    else:
        rules = [await _rule(session, flags)]
    added = (await instruments.ask(session, "POST", "faults", body={"rules": rules}))["rules"]
    if flags.text("output"):
        _print(session, flags, {"rules": added})
        return
    session.write("".join(f"fault/{rule['name']} added\n" for rule in added))


def _rules_of(source: str) -> Iterable[Any]:
    for document in files.read(source):
        value = document.value
        if isinstance(value, dict) and isinstance(value.get("rules"), list):
            yield from value["rules"]
        elif isinstance(value, list):
            yield from value
        else:
            yield value


async def _rule(session: Session, flags: FlagSet) -> JSONObject:
    """What the flags say, for the server to judge."""
    if len(flags.arguments) > 1:
        raise UsageError(f"a rule has one name, not {len(flags.arguments)}: {' '.join(flags.arguments)}")
    match: JSONObject = {field: flags.texts(flag) for flag, field in _MATCHES.items() if flags.changed(flag)}
    if "resources" in match:
        match["resources"] = [await _resource(session, word) for word in match["resources"]]
    if flags.changed("namespace"):
        match["namespaces"] = [flags.text("namespace")]
    if flags.is_on("inside"):
        match["inside"] = True
    when: JSONObject = {flag: flags.number(flag) for flag in _WHEN_NUMBERS if flags.changed(flag)}
    if flags.changed("probability"):
        when["probability"] = _fraction(flags.text("probability"))
    if flags.changed("for"):
        when["for"] = flags.text("for")
    rule: JSONObject = {"name": flags.arguments[0]} if flags.arguments else {}
    return {**rule, "match": match, "when": when, "do": _fault(flags)}


def _fault(flags: FlagSet) -> JSONObject:
    fault: JSONObject = {}
    for flag in ("latency", "message", "stale", "cut", "down"):
        if flags.changed(flag):
            fault[flag] = flags.text(flag)
    if flags.changed("answer"):
        fault["answer"] = flags.number("answer")
    if flags.changed("retry-after"):
        fault["retryAfter"] = flags.text("retry-after")
    if flags.is_on("after-write"):
        fault["afterWrite"] = True
    if watch := _watch(flags):
        fault["watch"] = watch
    if not fault:
        raise UsageError("say what happens: --answer, --cut, --latency, --watch-cut-after, --stale or --down")
    return fault


def _watch(flags: FlagSet) -> JSONObject:
    watch: JSONObject = {}
    endings = [ending for ending in _ENDINGS if flags.changed(f"watch-{ending}-after")]
    if len(endings) > 1:
        raise UsageError(f"a watch ends once: --watch-{endings[0]}-after and --watch-{endings[1]}-after contradict")
    for ending in endings:
        when = flags.text(f"watch-{ending}-after")
        count = int(when) if when.isascii() and when.isdecimal() and len(when) < 10 else None
        watch = {"end": ending, **({"after": when} if count is None else {"afterEvents": count})}
    if flags.changed("watch-delay"):
        watch["delay"] = flags.text("watch-delay")
    if flags.is_on("no-bookmarks"):
        watch["bookmarks"] = False
    return watch


async def _resource(session: Session, word: str) -> str:
    """A short name or a singular becomes the plural with its group; what has a group already, or a star, stays: it may
    be defined later."""
    name, slash, subresource = word.partition("/")
    if "." in name or "*" in name:
        return word
    mapping = await session.discovery.mapping_for(name)
    return f"{mapping.resource.group_resource}{slash}{subresource}"


def _fraction(text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise UsageError(f'invalid argument "{text}" for "--probability" flag: use a number up to 1') from error


async def show(session: Session, flags: FlagSet) -> None:
    _check_format(flags)
    if len(flags.arguments) > 1:
        raise UsageError("name one rule, or none for all of them")
    query = [("rule", flags.arguments[0])] if flags.arguments else []
    found = await instruments.ask(session, "GET", "faults", query=query)
    if flags.text("output"):
        _print(session, flags, found)
    elif flags.is_on("hits"):
        _print_record(session, found["record"])
    else:
        _print_rules(session, found["rules"])


async def remove(session: Session, flags: FlagSet) -> None:
    names = flags.arguments
    if flags.is_on("all") == bool(names):
        raise UsageError("name the rules to remove, or give --all")
    if not names:
        found = await instruments.ask(session, "GET", "faults")
        await instruments.ask(session, "DELETE", "faults")
        session.write("".join(f"fault/{rule['name']} removed\n" for rule in found["rules"]) or "there are no rules\n")
        return
    known = {rule["name"] for rule in (await instruments.ask(session, "GET", "faults"))["rules"]}
    if missing := [name for name in names if name not in known]:
        listed = f"there are: {', '.join(sorted(known))}" if known else "there are none"
        raise KctlError(f"there is no rule {missing[0]}, so nothing was removed; {listed}")
    for name in names:
        await instruments.ask(session, "DELETE", f"faults/{name}")
        session.write(f"fault/{name} removed\n")


def _check_format(flags: FlagSet) -> None:
    if (output := flags.text("output")) and output not in _FORMATS:
        raise UsageError(f"--output {output} is none that is known here: use {', '.join(_FORMATS)}")


def _print(session: Session, flags: FlagSet, found: JSONObject) -> None:
    if flags.text("output") == "name":
        session.write("".join(f"fault/{rule['name']}\n" for rule in found["rules"]))
        return
    is_json = flags.text("output") == "json"
    text = orjson.dumps(found, option=orjson.OPT_INDENT_2) + b"\n" if is_json else to_yaml(found)
    session.write_object(text.decode())


def _print_rules(session: Session, rules: Sequence[JSONObject]) -> None:
    if not rules:
        session.write("there are no rules\n")
        return
    out = session.columns()
    out.write("NAME\tMATCH\tWHEN\tDO\tMATCHED\tHITS\n")
    for rule in rules:
        status = rule["status"]
        when = f"{_words(rule.get('when'))}{' (over)' if status['over'] else ''}"
        match = _words(rule.get("match"))
        out.write(f"{rule['name']}\t{match}\t{when}\t{_words(rule['do'])}\t{status['matched']}\t{status['hits']}\n")
    out.flush()


def _print_record(session: Session, record: Sequence[JSONObject]) -> None:
    if not record:
        session.write("no rule has struck yet\n")
        return
    out = session.columns()
    out.write("NUMBER\tTIME\tRULE\tVERB\tPATH\tUSER\tUSER-AGENT\n")
    for hit in record:
        user = f"{hit.get('user', '')}{' (inside)' if hit.get('inside') else ''}"
        cells = (str(hit["number"]), hit["time"], hit["rule"], hit["verb"], hit.get("path", ""), user)
        out.write("\t".join((*cells, hit.get("userAgent", ""))) + "\n")
    out.flush()


def _words(values: JSONObject | None) -> str:
    """`verbs=update,patch names=web`."""
    return " ".join(f"{key}={_word(value)}" for key, value in (values or {}).items()) or "always"


def _word(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(value)
    if isinstance(value, dict):
        return ",".join(f"{key}:{_word(each)}" for key, each in value.items())
    return str(value).lower() if isinstance(value, bool) else str(value)


_OUTPUT = Flag("output", usage=f"Output format, one of: {', '.join(_FORMATS)}.", short="o")

_ADD_FLAGS = (
    Flag("filename", "slice", (), "Files with rules, instead of flags; '-' is stdin.", "f"),
    Flag("user", "array", (), "Requests of this user; * stands for any letters, here and below."),
    Flag("group", "array", (), "Requests of members of this group."),
    Flag("user-agent", "array", (), "Requests of clients that call themselves so, such as 'my-operator/*'."),
    Flag("verb", "slice", (), "get, list, watch, create, update, patch, delete or deletecollection."),
    Flag("resource", "slice", (), "Resources, such as deployments, pods/status, widgets.example.com or '*/scale'."),
    Flag("name", "slice", (), "Objects of this name; with --down, the webhook's or APIService's."),
    Flag("path", "array", (), "Paths, also such that are no resource's: '/apis/*' is discovery too."),
    switch("inside", "Also what the plane's own controllers, scheduler and nodes ask."),
    Flag("first", "int", 0, "Only the first so many that match."),
    Flag("every", "int", 0, "Only every n-th that matches."),
    Flag("from", "int", 0, "Only from the n-th on."),
    Flag("to", "int", 0, "Only up to the n-th."),
    Flag("probability", usage="Only by chance, 0.1 for one in ten."),
    Flag("seed", "int", 0, "What chance begins with: the same requests in the same order are struck again."),
    Flag("for", usage="How long the rule holds, such as 30s."),
    Flag("answer", "int", 0, "Answer 401, 403, 404, 409, 410, 429, 500, 503 or 504."),
    switch("after-write", "With --answer: the request is carried out, and its answer thrown away."),
    Flag("retry-after", usage="With --answer 429, 503 or 504: when to come again, such as 2s."),
    Flag("message", usage="With --answer: what it says, instead of Kubernetes' own words."),
    Flag("latency", usage="Wait so long before anything is done, such as 300ms."),
    Flag(
        "cut",
        usage="Cut the connection: before anything is done, after, or in the middle.",
        bare="before",
    ),
    Flag("watch-cut-after", usage="Cut watches after so many events, or after a time (0s: at once)."),
    Flag("watch-close-after", usage="End watches properly, as when a reader is too slow for its budget."),
    Flag("watch-expire-after", usage="End watches with an event that says 410, so that clients list again."),
    Flag("watch-delay", usage="Let watches tell everything so much later."),
    switch("no-bookmarks", "Let watches have no bookmarks."),
    Flag("stale", usage="Serve reads with resourceVersion=0 from so long ago, which the API allows."),
    Flag("down", usage="Let webhooks, apiServices or the store be out of reach, for everybody."),
    _OUTPUT,
)

COMMAND = Command(
    "faults",
    "faults",
    "Let requests go wrong on purpose",
    description="""\
What does your controller do when the server says 409, 410 or 429, answers late or not at all, or cuts the watch? Rules
let it happen in a plane that 'kctl up' started: for which requests, how often, and what. What they struck is recorded.

The plane's own controllers are left alone unless a rule says --inside. A plane starts without rules.""",
    examples="""\
# The first two updates of a deployment meet a conflict
kctl faults add --verb update --resource deployments --answer 409 --first 2

# What was struck
kctl faults list --hits

# Enough
kctl faults rm --all""",
    commands=(
        Command(
            "add",
            "add [NAME] (-f FILENAME | --answer CODE | --cut | --latency DURATION | --watch-cut-after N | --down WHAT)",
            "Add a rule, or those of a file",
            run=add,
            flags=_ADD_FLAGS,
            description="""\
Add a rule: flags say which requests it is about, which of these are struck, and what happens to them. All that is given
has to fit. The first rule that strikes a request is the only one.

A file has rules in full: one, a list, or a mapping with 'rules', as 'kctl faults list -o yaml' shows them. It is added
whole or not at all.""",
            examples="""\
# The first two updates of a deployment meet a conflict
kctl faults add --verb update --resource deployments --answer 409 --first 2

# A create that is carried out, and whose answer is lost
kctl faults add --verb create --resource jobs --cut=after --first 1

# Every third request of an operator is asked to come again in 5 seconds
kctl faults add throttled --user-agent 'my-operator/*' --answer 429 --retry-after 5s --every 3

# One in ten fails after it was done, the same ones each time
kctl faults add --answer 500 --after-write --probability 0.1 --seed 7

# Everything takes 300 ms longer for half a minute
kctl faults add --latency 300ms --for 30s

# Cut each watch of pods after five events; let all that are open expire now
kctl faults add --resource pods --watch-cut-after 5
kctl faults add --watch-expire-after 0s

# A token is no longer good
kctl faults add --user system:serviceaccount:shop:operator --answer 401

# A webhook can't be reached, and the store is gone for 10 seconds
kctl faults add --down webhooks --name validate.example.com
kctl faults add --down store --for 10s

# Rules of a file
kctl faults add -f rules.yaml""",
        ),
        Command(
            "list",
            "list [NAME]",
            "Show the rules, or what they struck",
            run=show,
            flags=(switch("hits", "Show which requests were struck by which rule, in order."), _OUTPUT),
            description="""\
Show the rules with how many requests they matched and struck, or with --hits what they struck, in order. JSON and YAML
have both, and can be given to 'kctl faults add -f' again: rules with a probability have their seed.""",
            examples="""\
# The rules, and how often they struck
kctl faults list

# Which requests were struck
kctl faults list --hits

# To repeat it
kctl faults list -o yaml > rules.yaml""",
            aliases=("ls",),
        ),
        Command(
            "rm",
            "rm (NAME... | --all)",
            "Remove rules",
            run=remove,
            flags=(switch("all", "All of them; what was recorded is forgotten, too."),),
            description="Remove rules. What they held up goes on: a store is there again, and webhooks are called.",
            examples="""\
# One of them
kctl faults rm throttled

# All of them
kctl faults rm --all""",
            aliases=("remove",),
        ),
    ),
)
