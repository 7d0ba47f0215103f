"""`kctl requests`: which requests are shown, in which form, and what is said where there are none to show."""

from __future__ import annotations

import json
import re
import subprocess

import pytest

from localplane.apimachinery.serializers.yaml import parse_yaml
from tests.e2e.command_line import KCTL, Outcome, environment
from tests.e2e.kctl.foreign_server import serving
from tests.e2e.up.machine import Machine

_CHANGING = re.compile(r"\d\d:\d\d:\d\d\.\d{3}|\d+\.\d(ms|s)|\b\d{3,}(?= *\n)")


def shown(outcome: Outcome) -> list[list[str]]:
    """The cells of a table, without what is different each time."""
    assert outcome.code == 0, outcome.stderr
    return [_CHANGING.sub("#", line + "\n").split() for line in outcome.stdout.splitlines()]


@pytest.fixture(scope="module")
def asked(shop: Machine) -> Machine:
    """Somebody of a name that nobody else has asks for two things."""
    assert shop.kctl("get", "cm", "apple", "-n", "shop", "--as", "asker-one").code == 1
    assert shop.kctl("get", "deploy", "-n", "shop", "--as", "asker-two", "--as-group", "system:masters").code == 0
    return shop


def test_a_table_of_who_asked_what(asked: Machine) -> None:
    assert shown(asked.kctl("requests", "--user", "asker-*", "--resource", "configmaps,deployments.apps")) == [
        ["TIME", "USER", "VERB", "RESOURCE", "NAMESPACE", "NAME", "STATUS", "TOOK", "BYTES"],
        ["#", "asker-one", "get", "configmaps", "shop", "apple", "403", "#", "#"],
        ["#", "asker-two", "list", "deployments.apps", "shop", "200", "#", "#"],
    ]


def test_requests_are_chosen_by_verb_status_namespace_and_time(asked: Machine) -> None:
    mine = ("requests", "--no-headers", "--user", "asker-one", "--user", "asker-two", "--since", "1h")
    assert [row[1] for row in shown(asked.kctl(*mine, "--verb", "list"))] == ["asker-two"]
    assert [row[1] for row in shown(asked.kctl(*mine, "--status", "4xx"))] == ["asker-one"]
    assert [row[1] for row in shown(asked.kctl(*mine, "-n", "shop", "--tail", "1"))] == ["asker-two"]
    assert asked.kctl(*mine, "-n", "elsewhere") == Outcome(0, "", "No requests found.\n")
    assert asked.kctl("requests", "--since", "2100-01-01T00:00:00Z") == Outcome(0, "", "No requests found.\n")


def test_programs_get_json_and_yaml_and_the_curious_more_columns(asked: Machine) -> None:
    mine = ("requests", "--user", "asker-one", "--verb", "get", "--resource", "configmaps")
    told = json.loads(asked.kctl(*mine, "-o", "json").stdout)
    assert (told["kind"], len(told["items"])) == ("RequestList", 1)
    request = told["items"][0]
    assert (request["user"], request["impersonator"], request["status"]) == ("asker-one", "kubernetes-admin", 403)
    assert parse_yaml(asked.kctl(*mine, "-o", "yaml").stdout.encode()).value == told
    headers, row = asked.kctl(*mine, "-o", "wide").stdout.splitlines()
    assert headers.split()[9:] == ["BY", "URI", "USER", "AGENT", "REQUEST", "ID"]
    assert "kubernetes-admin   /api/v1/namespaces/shop/configmaps/apple" in row
    assert row.endswith(request["requestID"])


def test_what_the_plane_asks_itself_is_shown_on_request(asked: Machine) -> None:
    own = ("requests", "--user", "system:apiserver", "-o", "json")
    assert json.loads(asked.kctl(*own).stdout)["items"] == []
    internal = json.loads(asked.kctl(*own, "--internal").stdout)["items"]
    assert internal
    assert all(each["internal"] for each in internal)


def test_requests_are_followed_as_they_come(asked: Machine) -> None:
    """The first may have been there before; the second comes while it is followed."""
    command = [*KCTL, "requests", "--follow", "--user", "follower", "-o", "json"]
    with subprocess.Popen(
        command, env=environment(asked.home, asked.environ), cwd=asked.home, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            for path in ("/version", "/healthz"):
                asked.kctl("get", "--raw", path, "--as", "follower")
                request = json.loads(process.stdout.readline())
                assert (request["user"], request["uri"]) == ("follower", path)
        finally:
            process.kill()


def test_what_is_wrong_is_said_in_one_sentence(asked: Machine) -> None:
    assert asked.kctl("requests", "--status", "teapot") == Outcome(
        1,
        "",
        'Error from server (BadRequest): "teapot" is no status: it is a number such as 404, or 4xx\n',
    )
    assert asked.kctl("requests", "-o", "xml") == Outcome(
        1, "", 'error: there is no output format "xml" here: it is one of wide, json, yaml\n'
    )


def test_another_server_cannot_be_asked(asked: Machine) -> None:
    with serving() as server:
        sentence = f"error: kctl requests asks a plane that `kctl up` started, and {server.url} is another server\n"
        assert asked.kctl("requests", "--server", server.url) == Outcome(1, "", sentence)
