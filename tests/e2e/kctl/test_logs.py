"""`kctl logs` against a server with a few pods, each of whose containers says three things."""

from __future__ import annotations

import signal

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.streaming.fake_kubelet import pod
from tests.e2e.streaming.talking import Talk

HELP = "See 'kctl logs -h' for help and examples\n"
EXPECTED = (
    "error: expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'.\n"
    f"POD or TYPE/NAME is a required argument for the logs command\n{HELP}"
)
DEFAULTED = 'Defaulted container "main" out of: main, side\n'
FOUND = "Found 2 pods, using pod/one\n"
NO_PREVIOUS = 'previous terminated container "main" in pod "one" not found'


@pytest.mark.parametrize(
    ("arguments", "printed", "said"),
    [
        (("one",), "one main says 0\none main says 1\none main says 2\n", ""),
        (("one", "--tail=1"), "one main says 2\n", ""),
        (("one", "--tail=0"), "", ""),
        (("two", "--tail=1"), "two main says 2\n", DEFAULTED),
        (("two", "-c", "side", "--tail=1", "--prefix"), "[pod/two/side] two side says 2\n", ""),
        (("two", "--container=side", "--tail=1"), "two side says 2\n", ""),
        (("two", "side", "--tail=1"), "two side says 2\n", ""),
        (("two", "--all-containers", "--tail=1"), "two main says 2\ntwo side says 2\n", ""),
        (
            ("many", "--all-containers", "--tail=1"),
            "many setup says 2\nmany main says 2\nmany debug says 2\n",
            "",
        ),
        (("chosen", "--tail=1"), "chosen b says 2\n", ""),
        (
            ("wrong", "--tail=1"),
            "wrong a says 2\n",
            'Default container name "x" not found in pod wrong\nDefaulted container "a" out of: a, b\n',
        ),
        (("deploy/web", "--tail=1"), "one main says 2\n", FOUND),
        (("svc/web", "--tail=1"), "one main says 2\n", FOUND),
        (("replicasets/done", "--tail=1"), "done main says 2\n", ""),
        (("job/hello", "-c", "a", "--tail=1"), "chosen a says 2\n", ""),
        (
            ("deploy/web", "--all-pods", "--tail=1"),
            "[pod/one/main] one main says 2\n[pod/two/main] two main says 2\n",
            "",
        ),
        (("-l", "app=web", "--tail=1", "-c", "main"), "one main says 2\ntwo main says 2\n", ""),
        (("--selector=app=none",), "", "No resources found in default namespace.\n"),
    ],
)
def test_whose_log_is_read(talk: Talk, arguments: tuple[str, ...], printed: str, said: str) -> None:
    assert talk("logs", *arguments) == Outcome(0, printed, said)


@pytest.mark.parametrize(
    ("flag", "asked"),
    [
        ("-f", "follow=true"),
        ("--follow", "follow=true"),
        ("-p", "previous=true"),
        ("--previous", "previous=true"),
        ("--timestamps", "timestamps=true"),
        ("--limit-bytes=9", "limitBytes=9"),
        ("--since=90s", "sinceSeconds=90"),
        ("--since=1500ms", "sinceSeconds=2"),
        ("--since=400ms", "sinceSeconds=0"),
        ("--since-time=2024-08-30T08:00:00+02:00", "sinceTime=2024-08-30T06%3A00%3A00Z"),
        ("--insecure-skip-tls-verify-backend", "insecureSkipTLSVerifyBackend=true"),
        ("--tail=5", "tailLines=5"),
    ],
)
def test_a_flag_is_sent(talk: Talk, flag: str, asked: str) -> None:
    shown = talk.asked("logs", "one", flag, "--pod-running-timeout=100ms")
    assert shown[-1] == "GET /api/v1/namespaces/default/pods/one/log?" + "&".join(sorted(["container=main", asked]))
    assert talk.kubelet.asked[-1].header("accept") == "application/json, */*"


def test_a_selection_shows_ten_lines_unless_told_otherwise(talk: Talk) -> None:
    assert talk.asked("logs", "-l", "app=chosen") == [
        "GET /api/v1/namespaces/default/pods?labelSelector=app%3Dchosen",
        "GET /api/v1/namespaces/default/pods/chosen/log?container=b&tailLines=10",
    ]
    assert talk.asked("logs", "-l", "app=chosen", "--tail=-1")[-1].endswith("log?container=b")


def test_several_are_followed_at_once_but_not_too_many(talk: Talk) -> None:
    done = talk("logs", "-f", "-l", "app=web", "--all-containers", "--prefix", "--tail=1")
    expected = {"[pod/one/main] one main says 2", "[pod/two/main] two main says 2", "[pod/two/side] two side says 2"}
    assert (done.code, set(done.stdout.splitlines()), done.stderr) == (0, expected, "")
    refused = talk("logs", "-f", "-l", "app=web", "--all-containers", "--max-log-requests=2")
    assert refused == Outcome(
        1,
        "",
        "error: you are attempting to follow 3 log streams, but maximum allowed concurrency is 2, use "
        "--max-log-requests to increase the limit\n",
    )


def test_a_log_that_is_refused_is_an_error_unless_they_are_ignored(talk: Talk) -> None:
    refused = Outcome(1, "", f"Error from server (BadRequest): {NO_PREVIOUS}\n")
    assert talk("logs", "one", "-p") == refused
    assert talk("logs", "one", "-p", "--ignore-errors") == Outcome(0, f"error: {NO_PREVIOUS}\n", "")


def test_a_log_that_is_followed_is_asked_for_until_it_is_there(talk: Talk) -> None:
    talk.kubelet.refusals = 1
    waiting = 'container "main" in pod "one" is waiting to start\n'
    assert talk("logs", "-f", "one", "--tail=1") == Outcome(0, "one main says 2\n", waiting)
    late = talk("logs", "-f", "one", "-p", "--pod-running-timeout=300ms")
    assert late == Outcome(1, "", f"{NO_PREVIOUS}\nerror: context deadline exceeded\n")


def test_the_first_pod_is_waited_for(talk: Talk) -> None:
    refused = talk("logs", "deploy/none", "--pod-running-timeout=300ms")
    assert refused == Outcome(1, "", "error: timed out waiting for the condition\n")
    with talk.running("logs", "deploy/none", "--pod-running-timeout=1m", "--tail=1") as process:
        while "watch=true" not in talk.kubelet.requests[-1]:
            pass
        talk.kubelet.add(pod("late", "main", app="none"))
        assert process.communicate(timeout=20) == ("late main says 2\n", "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_log_that_goes_on(talk: Talk, number: signal.Signals) -> None:
    with talk.running("logs", "-f", "one", "--since=1h") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "one main says 0\n"
        process.send_signal(number)
        assert process.communicate(timeout=20)[1] == ""
        assert process.returncode == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), EXPECTED),
        (("a", "b", "c"), EXPECTED),
        (("one", "-l", "a=b"), f"error: only a selector (-l) or a POD name is allowed\n{HELP}"),
        (
            ("-l", "a=b", "one", "main"),
            "error: selectors and the all flag cannot be used when passing resource/name arguments\n",
        ),
        (("nobody",), 'error: error from server (NotFound): pods "nobody" not found in namespace "default"\n'),
        (("two", "-c", "nope"), "error: container nope is not valid for pod two out of: main, side\n"),
        (("two", "side", "-c", "main"), "error: only one of -c or an inline [CONTAINER] arg is allowed\n"),
        (
            ("one", "--all-containers", "-c", "main"),
            "error: --all-containers=true should not be specified with container name main\n",
        ),
        (("one", "--tail=-2"), "error: --tail must be greater than or equal to -1\n"),
        (("one", "--limit-bytes=-1"), "error: --limit-bytes must be greater than 0\n"),
        (("one", "--since=-1s"), "error: --since must be greater than 0\n"),
        (
            ("one", "--since=5s", "--since-time=2024-08-30T08:00:00Z"),
            "error: at most one of `sinceTime` or `sinceSeconds` may be specified\n",
        ),
        (
            ("one", "--since-time=nonsense"),
            'error: parsing time "nonsense" as "2006-01-02T15:04:05Z07:00": cannot parse "nonsense" as "2006"\n',
        ),
        (("one", "--pod-running-timeout=0"), "error: --pod-running-timeout must be higher than zero\n"),
        (
            ("configmaps/settings",),
            "error: cannot get the logs from *v1.ConfigMap: selector for *v1.ConfigMap not implemented\n",
        ),
    ],
)
def test_refusals(talk: Talk, arguments: tuple[str, ...], said: str) -> None:
    assert talk("logs", *arguments) == Outcome(1, "", said)
