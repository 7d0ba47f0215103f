"""Two programs that are told the same, each in a namespace of its own on one plane, and what differs of it.

Compared are the exit code, both outputs, and after whatever changes something the objects with their managers. A
difference is made as small as it can be, by leaving flags out, on namespaces that are new each time.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.differential.command_lines import Line, command_line, parts
from tests.e2e.command_line import Outcome, environment, run
from tests.e2e.examples.kubectl import steady
from tests.e2e.up.machine import Machine

_HERE = Path(__file__).parent
_KINDS = "cm,cronjob,deploy,hpa,ing,job,pdb,po,quota,rolebinding,role,sa,secret,svc"
_CHANGING = (
    (re.compile(r"^[EWI]\d{4} \d\d:.*\n", re.MULTILINE), ""),
    (re.compile(r"\b(\d+d)?(\d+h)?(\d+m)?\d+(\.\d+)?m?s\b|<invalid>"), "<age>"),
    (re.compile(r"\b10\.\d+\.\d+\.\d+\b"), "<ip>"),
    (re.compile(r"\b3[0-2]\d{3}\b"), "<port>"),
    (re.compile(r"\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun), .*"), "<time>"),
    (re.compile(r"[\w.:/-]*/(LIVE|MERGED)-\d+"), r"\1"),
    (re.compile(r"resource ?[vV]ersion(\W+)\d+"), r"resourceVersion\1<version>"),
    (re.compile(r"generateName.*"), "<generated>"),
    (re.compile(r"\d{4}-\d\d-\d\d[T ][\d:.]+( ?[+-]\d{4}|Z)?( \w+)?"), "<time>"),
    (re.compile(r" +"), " "),
    (re.compile(r"\s+$", re.MULTILINE), "\n"),
)

_OF_VERSIONS = (
    (re.compile(r"\bkyaml,"), ""),
    (re.compile(r'" deleted from \S+ namespace'), '" deleted'),
    (
        re.compile(
            r'(,\\?"creationTimestamp\\?":null|\\?"creationTimestamp\\?":null,)|^ *"?creationTimestamp"?: null,?$\n?',
            re.MULTILINE,
        ),
        "",
    ),
    (re.compile(r"^preferences: \{\}\n|^ *\"preferences\": \{\},\n", re.MULTILINE), ""),
    (re.compile(r"\A(service/\S+ created.*)\n(pod/\S+ created.*)\Z"), r"\2\n\1"),
    (re.compile(r'(\\"name\\":\\"web\\"),\\"namespace\\":\\"namespace\\"(\},\\"spec\\":\{\\"scaleTargetRef)'), r"\1\2"),
)
"""What kubectl 1.33 and 1.37 say differently: a format more, where something was deleted, times and preferences that
are empty, whether a pod or its service is told first, and the namespace that an autoscaler is written down with."""

EXCUSED: Mapping[str, str] = {
    "is for functions that run in containers": "kustomize's functions are not run, see DECISIONS.md",
    "is not available": "other releases refuse formats of api-resources in other words",
}
"""Differences that have a reason, by a text that one of both has."""


@dataclass(frozen=True, slots=True)
class Told:
    """What came of a line, without what must differ."""

    code: int
    stdout: str
    stderr: str
    objects: str = ""


@dataclass(frozen=True, slots=True)
class CommandDifference:
    line: Line
    place: str
    peer: str
    ours: str

    @property
    def group(self) -> str:
        return (
            f"{self.line.command} {self.place} {' '.join(sorted(flag.partition('=')[0] for flag in self.line.flags))}"
        )


@dataclass(slots=True)
class CommandReport:
    lines: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    groups: dict[str, CommandDifference] = field(default_factory=dict)

    @property
    def differing(self) -> int:
        return sum(self.counts.values())

    def shown(self, most: int = 40) -> Iterator[str]:
        percent = 100 * self.differing / self.lines if self.lines else 0.0
        yield f"{self.lines} command lines, {self.differing} differ ({percent:.2f} %), in {len(self.counts)} ways"
        for group in sorted(self.counts, key=lambda group: -self.counts[group])[:most]:
            found = self.groups[group]
            yield f"{self.counts[group]:6}  {found.line}  ({found.place})"
            yield f"        peer  {found.peer[:300]}"
            yield f"        ours  {found.ours[:300]}"


class Side:
    """A program on the plane; `name` has the same length for both, so that tables are as wide."""

    def __init__(
        self, name: str, call: Callable[..., Outcome], prepare: Callable[..., Outcome], directory: Path
    ) -> None:
        self._name = name
        self._call = call
        self._prepare = prepare
        self._directory = directory
        self._count = 0
        self._is_fresh = False

    @property
    def namespace(self) -> str:
        return f"{self._name}-{self._count:04}"

    def renew(self) -> None:
        """A namespace in which everything is as in the beginning."""
        if self._is_fresh:
            return
        self._count += 1
        files = self._directory / self.namespace
        write_files(files, self.namespace)
        done = self._prepare("create", "-f", str(files / "objects.yaml"))
        assert done.code == 0, done.stderr
        self._is_fresh = True

    def told(self, line: Line) -> Told:
        self.renew()
        files = str(self._directory / self.namespace)
        done = self._call(*line.words({"namespace": self.namespace, "dir": files}), "-n", self.namespace)
        objects = "" if line.reads_only else self._objects()
        self._is_fresh = line.reads_only
        return Told(done.code, self._plain(done.stdout), self._plain(done.stderr), objects)

    def _objects(self) -> str:
        done = self._prepare("get", _KINDS, "-n", self.namespace, "-o", "json", "--show-managed-fields")
        return self._plain(json.dumps(json.loads(done.stdout)["items"], indent=1, sort_keys=True))

    def _plain(self, text: str) -> str:
        for pattern, instead in (
            (re.compile(re.escape(str(self._directory))), "/files"),
            (re.compile(rf"{self._name}-\d{{4}}"), "namespace"),
            *_CHANGING,
            *_OF_VERSIONS,
        ):
            text = pattern.sub(instead, text)
        return steady(text).strip()


def write_files(directory: Path, namespace: str) -> None:
    """The objects that are there, and files that lines speak of."""
    directory.mkdir(parents=True)
    text = (_HERE / "command_objects.yaml").read_text().replace("{namespace}", namespace)
    (directory / "objects.yaml").write_text(text)
    deployment = next(part for part in text.split("---\n") if "kind: Deployment" in part)
    settings = next(part for part in text.split("---\n") if "kind: ConfigMap" in part)
    changed = deployment.replace("nginx:1", "nginx:9").replace("replicas: 1", "replicas: 2")
    (directory / "changed.yaml").write_text(f"{changed}---\n{settings.replace('two', 'three')}")
    (directory / "new.yaml").write_text(settings.replace("name: settings", "name: fresh"))
    (directory / "wrong.yaml").write_text(
        f"{settings}unknown: 1\n---\n{deployment.replace('replicas: 1', 'replicas: x')}"
    )
    (directory / "variables").write_text("A=b\nC=d\n")
    (directory / "kustomized").mkdir()
    (directory / "kustomized" / "cm.yaml").write_text(settings)
    (directory / "kustomized" / "kustomization.yaml").write_text("namePrefix: a-\nresources: [cm.yaml]\n")


def two_sides(plane: Machine, program: Path, directory: Path) -> tuple[Side, Side]:
    """kubectl and kctl, which says what kubectl says."""
    home = directory / "peer"
    home.mkdir()
    called = home / "kubectl"  # its field managers go by the name
    called.symlink_to(program)

    def peer(*arguments: str) -> Outcome:
        done = subprocess.run(
            [str(called), *arguments],
            env={**environment(home, {}), "PATH": "/usr/bin:/bin", "KUBECONFIG": str(plane.kubeconfig)},
            cwd=directory,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    def ours(*arguments: str) -> Outcome:
        more = {**plane.environ, "KCTL_AS": "kubectl", "PATH": "/usr/bin:/bin", "KUBECONFIG": str(plane.kubeconfig)}
        done = run(arguments, cwd=directory, env=environment(plane.home, more))
        return Outcome(done.returncode, done.stdout, done.stderr)

    return Side("peer", peer, ours, directory / "files"), Side("ours", ours, ours, directory / "files")


def flags_of(program: Path, commands: Collection[str]) -> dict[str, set[str]]:
    """What the program's help names, by command."""

    def asked(command: str) -> set[str]:
        done = subprocess.run([program, *command.split(), "--help"], capture_output=True, text=True, check=False)
        return set(re.findall(r"^\s+(?:-\w, )?--([\w-]+)=", done.stdout, re.MULTILINE))

    with ThreadPoolExecutor(2) as pool:
        return dict(zip(commands, pool.map(asked, commands), strict=True))


def compare_lines(
    peer: Side, ours: Side, known: Mapping[str, Collection[str]], *, lines: int, seed: int = 1, only: Sequence[str] = ()
) -> CommandReport:
    """The first difference of each group is made small; those that are not seen again are none."""
    report = CommandReport()
    with ThreadPoolExecutor(2) as pool:

        def again(line: Line) -> CommandDifference | None:
            one, other = pool.map(lambda side: side.told(line), (peer, ours))
            return command_difference(line, one, other)

        for number in range(lines):
            report.lines += 1
            found = again(command_line(seed, number, known, only))
            if found is None or (found := again(found.line)) is None:
                continue
            found = smallest(found, again)
            report.counts[found.group] = report.counts.get(found.group, 0) + 1
            report.groups.setdefault(found.group, found)
    return report


def smallest(found: CommandDifference, again: Callable[[Line], CommandDifference | None]) -> CommandDifference:
    """As long as it differs in the same place, flags go."""
    for line in found.line.smaller():
        less = again(line)
        if less is not None and less.place == found.place:
            return smallest(less, again)
    return found


def command_difference(line: Line, peer: Told, ours: Told) -> CommandDifference | None:
    for place in ("code", "stderr", "stdout", "objects"):
        one, other = getattr(peer, place), getattr(ours, place)
        if one != other and not _is_excused(f"{one}{other}{peer.stderr}{ours.stderr}"):
            shown = _first_lines(one, other) if place != "code" else (f"{one} {peer.stderr}", f"{other} {ours.stderr}")
            return CommandDifference(line, place, *shown)
    return None


def _is_excused(text: str) -> bool:
    return any(words in text for words in EXCUSED)


def _first_lines(one: str, other: str) -> tuple[str, str]:
    """From where they differ."""
    mine, yours = one.splitlines(), other.splitlines()
    same = next((index for index, pair in enumerate(zip(mine, yours, strict=False)) if pair[0] != pair[1]), -1)
    same = min(len(mine), len(yours)) if same < 0 else same
    return " | ".join(mine[same : same + 4]), " | ".join(yours[same : same + 4])


def documents(report: CommandReport) -> list[dict[str, Any]]:
    """Every group, for a file."""
    return [
        {
            "line": str(found.line),
            "place": found.place,
            "count": report.counts[group],
            "peer": found.peer,
            "ours": found.ours,
        }
        for group, found in report.groups.items()
    ]


def all_commands() -> list[str]:
    return list(parts()["arguments"])
