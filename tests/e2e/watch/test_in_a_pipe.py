"""`kctl watch` where nobody looks: a line or a document for every event."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest

from tests.e2e.command_line import KCTL, environment
from tests.e2e.up.machine import Machine, until
from tests.e2e.watch.conftest import Writer
from tests.e2e.watch.cutting_proxy import cutting_proxy

OURS = ("--field-selector", "metadata.name!=kube-root-ca.crt")
"""What a controller makes in every namespace comes when it comes."""


class Watching:
    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.lines: list[str] = []
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))

    def until_lines(self, count: int) -> list[str]:
        until(lambda: len(self.lines) >= count or self.process.poll() is not None)
        return self.lines

    def end(self, number: int = signal.SIGINT) -> int:
        self.process.send_signal(number)
        code = self.process.wait(30)
        self._thread.join(5)
        return code


@contextmanager
def watching(plane: Machine, *arguments: str) -> Iterator[Watching]:
    process = subprocess.Popen(
        [*KCTL, "watch", *arguments],
        cwd=plane.home,
        env=environment(plane.home, {}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield Watching(process)
    finally:
        process.kill()
        process.wait(30)
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stderr.close()


def without_ages(lines: list[str]) -> list[str]:
    return [re.sub(r"\d+s$", "<age>", line) for line in lines]


def test_every_event_is_a_line_and_ctrl_c_is_no_failure(plane: Machine, writer: Writer) -> None:
    writer.make("there", data={"a": "b"})
    with watching(plane, "cm,secrets", "-n", writer.namespace, *OURS) as watch:
        watch.until_lines(2)
        writer.make("new")
        writer.patch("new", {"data": {"x": "y"}})
        writer.remove("new")
        lines = without_ages(watch.until_lines(5))
        assert lines == [
            "EVENT      NAME              DATA   AGE",
            "ADDED      configmap/there   1      <age>",
            "ADDED      configmap/new     0      <age>",
            "MODIFIED   configmap/new     1      <age>",
            "DELETED    configmap/new     1      <age>",
        ]
        assert watch.end() == 0


def test_being_terminated_is_told_to_the_caller(plane: Machine, writer: Writer) -> None:
    with watching(plane, "cm", "-n", writer.namespace) as watch:
        watch.until_lines(1)
        assert watch.end(signal.SIGTERM) == 143


def test_every_event_is_one_json_document(plane: Machine, writer: Writer) -> None:
    writer.make("a", data={"k": "<v>"})
    with watching(plane, "cm", "a", "-n", writer.namespace, "-o", "json") as watch:
        watch.until_lines(1)
        writer.patch("a", {"metadata": {"labels": {"x": "y"}}})
        first, second = map(json.loads, watch.until_lines(2))
    assert (first["type"], second["type"]) == ("ADDED", "MODIFIED")
    assert first["object"]["data"] == {"k": "<v>"}
    assert first["object"]["kind"] == "ConfigMap"
    assert "managedFields" not in first["object"]["metadata"]
    assert second["object"]["metadata"]["labels"] == {"x": "y"}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("cm", "-l", "app=x"), ["EVENT      NAME          DATA   AGE", "ADDED      configmap/x   0      <age>"]),
        (("cm", "--field-selector", "metadata.name=y", "--no-headers"), ["ADDED      configmap/y   0     <age>"]),
        (("cm/y", "--no-headers"), ["ADDED      configmap/y   0     <age>"]),
        (
            ("cm", "-l", "app", "-L", "app"),
            ["EVENT      NAME          DATA   AGE   APP", "ADDED      configmap/x   0      <age>    x"],
        ),
        (
            ("cm", "-l", "app", "--show-labels"),
            ["EVENT      NAME          DATA   AGE   LABELS", "ADDED      configmap/x   0      <age>    app=x"],
        ),
        (("cm/x", "-o", "name"), ["configmap/x"]),
        (("cm/x", "--template", '{{.type}} {{.object.metadata.name}}{{"\\n"}}'), ["ADDED x"]),
        (("cm/x", "-o", 'jsonpath={.type} {.none}{"\\n"}'), ["ADDED "]),
    ],
)
def test_flags_choose_what_is_shown(
    plane: Machine, writer: Writer, arguments: tuple[str, ...], expected: list[str]
) -> None:
    writer.make("x", metadata={"name": "x", "labels": {"app": "x"}})
    writer.make("y")
    with watching(plane, *arguments, "-n", writer.namespace) as watch:
        lines = watch.until_lines(len(expected))
        assert [re.sub(r"\b\d+s\b", "<age>", line) for line in lines] == expected


def test_all_namespaces_have_a_column(plane: Machine, writer: Writer) -> None:
    writer.make("x", metadata={"name": "x", "labels": {"in": writer.namespace}})
    with watching(plane, "cm", "-l", f"in={writer.namespace}", "--all-namespaces", "--no-headers") as watch:
        assert watch.until_lines(1)[0].split()[:3] == ["ADDED", writer.namespace, "configmap/x"]


def test_managed_fields_are_shown_on_request(plane: Machine, writer: Writer) -> None:
    writer.make("x", data={"a": "b"})
    with watching(plane, "cm/x", "-n", writer.namespace, "-o", "json", "--show-managed-fields") as watch:
        assert json.loads(watch.until_lines(1)[0])["object"]["metadata"]["managedFields"]


def test_an_object_that_is_not_there_yet_is_waited_for_on_request(plane: Machine, writer: Writer) -> None:
    writer.make("there")
    names = ("cm/late", "cm/there", "-n", writer.namespace, "-o", "name")
    assert plane.kctl("watch", *names).code == 1
    with watching(plane, *names, "--ignore-not-found") as watch:
        assert watch.until_lines(1) == ["configmap/there"]
        writer.make("late")
        assert watch.until_lines(2) == ["configmap/there", "configmap/late"]


def test_what_a_template_does_not_find_is_an_error_on_request(plane: Machine, writer: Writer) -> None:
    writer.make("x")
    line = ("watch", "cm/x", "-n", writer.namespace, "-o", "jsonpath={.none}", "--allow-missing-template-keys=false")
    done = plane.kctl(*line)
    assert done.code == 1
    assert done.stderr.startswith(
        'error: error executing jsonpath "{.none}": Error executing template: none is not found.'
    )


def test_changes_only(plane: Machine, writer: Writer) -> None:
    writer.make("old")
    with watching(plane, "cm", "-n", writer.namespace, "--watch-only", "-o", "name") as watch:
        until(lambda: watch.process.poll() is not None or _made_news(writer, watch))
        assert "configmap/old" not in watch.lines
        assert watch.lines[0].startswith("configmap/new-")


def _made_news(writer: Writer, watch: Watching) -> bool:
    """Nothing says that a watch of changes only is there yet, so there is news until it is."""
    writer.make(f"new-{uuid.uuid4()}")
    return bool(watch.lines)


def test_connections_that_are_cut_lose_nothing_and_repeat_nothing(plane: Machine, writer: Writer) -> None:
    server = urlsplit(writer.config.server)
    assert server.hostname
    assert server.port
    writer.make("first")
    with (
        cutting_proxy(server.hostname, server.port) as proxy,
        watching(
            plane, "cm", "-n", writer.namespace, *OURS, "-o", "json", "-s", f"https://127.0.0.1:{proxy.port}"
        ) as watch,
    ):
        watch.until_lines(1)
        for number in range(12):
            writer.make(f"object-{number}")
            if number % 3 == 2:
                watch.until_lines(1 + 2 * number + 1)  # so there is a connection to cut
                proxy.cut()
            writer.remove(f"object-{number}")
        expected = [(kind, f"object-{number}") for number in range(12) for kind in ("ADDED", "DELETED")]
        watch.until_lines(1 + len(expected))
        events = [json.loads(line) for line in watch.lines[1:]]
        assert [(event["type"], event["object"]["metadata"]["name"]) for event in events] == expected
        assert proxy.accepted > 4
        assert watch.end() == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("cm", "nobody"), 'Error from server (NotFound): configmaps "nobody" not found\n'),
        (("unicorns",), 'error: the server doesn\'t have a resource type "unicorns"\n'),
        (("cm", "-s", "https://127.0.0.1:1"), "The connection to the server 127.0.0.1:1 was refused - "),
        (("cm", "x", "-l", "a=b"), "error: name cannot be provided when a selector is specified\n"),
    ],
)
def test_what_can_not_be_watched_is_said_as_kubectl_says_it(
    plane: Machine, arguments: tuple[str, ...], said: str
) -> None:
    done = plane.kctl("watch", *arguments)
    assert (done.code, done.stdout) == (1, "")
    assert done.stderr.startswith(said)


@pytest.mark.parametrize("form", [(), ("-o", "json"), ("-o", "yaml"), ("-o", "name")])
def test_a_reader_who_leaves_ends_it_quietly(plane: Machine, writer: Writer, form: tuple[str, ...]) -> None:
    namespace = writer.namespace
    process = subprocess.Popen(
        [*KCTL, "watch", "cm", "-n", namespace, *OURS, *form],
        cwd=plane.home,
        env=environment(plane.home, {}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    writer.make("first")
    assert process.stdout.readline()
    process.stdout.close()
    for number in range(5):  # the first writes may still find room
        writer.make(f"another-{number}")
    assert process.wait(60) == 141
    assert process.stderr.read() == ""
    process.stderr.close()
