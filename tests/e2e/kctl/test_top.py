"""`kctl top node` and `kctl top pod`, against a metrics server that measures nothing."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.e2e.command_line import Outcome, kctl
from tests.e2e.kctl.fake_metrics import metrics_server

Top: TypeAlias = Callable[[str], Outcome]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with metrics_server() as url:
        yield url


def _top(url: str, home: Path, line: str) -> Outcome:
    return kctl("--server", url, "-n", "shop", *shlex.split(line), home=home, environ={})


@pytest.fixture
def top(server: str, tmp_path: Path) -> Top:
    return lambda line: _top(server, tmp_path, line)


NODES = (
    "NAME   CPU(cores)   CPU(%)      MEMORY(bytes)   MEMORY(%)   \n"
    "n1     1500m        50%         1024Mi          25%         \n"
    "n2     3m           0%          3072Mi          75%         \n"
    "n3     <unknown>    <unknown>   <unknown>       <unknown>   \n"
)
ONE = (
    "NAME   CPU(cores)   CPU(%)   MEMORY(bytes)   MEMORY(%)   \n"
    "n1     1500m        50%      1024Mi          25%         \n"
)
PODS = (
    "NAME   CPU(cores)   MEMORY(bytes)   \ndb     1000m        1024Mi          \nweb    105m         192Mi           \n"
)

SHOWN = [
    ("top node", NODES),
    ("top nodes n1", ONE),
    ("top no -l zone=a", ONE),
    ("top node --selector zone=a", ONE),
    ("top node n1 --no-headers", "n1    1500m   50%   1024Mi   25%   \n"),
    (
        "top node n1 --show-capacity",
        ONE.replace("50%", "37%").replace("25%", "12%"),
    ),
    (
        "top node -l 'zone in (a,b)' --sort-by=memory --no-headers",
        "n2    3m      0%    3072Mi   75%   \nn1    1500m   50%   1024Mi   25%   \n",
    ),
    (
        "top node -l 'zone in (a,b)' --sort-by=cpu --no-headers",
        "n1    1500m   50%   1024Mi   25%   \nn2    3m      0%    3072Mi   75%   \n",
    ),
    (
        "top node -l 'zone in (a,b)' --show-swap --use-protocol-buffers=false",
        (
            "NAME   CPU(cores)   CPU(%)   MEMORY(bytes)   MEMORY(%)   SWAP(bytes)   SWAP(%)     \n"
            "n1     1500m        50%      1024Mi          25%         100Mi         9%          \n"
            "n2     3m           0%       3072Mi          75%         <unknown>     <unknown>   \n"
        ),
    ),
    ("top node n1 --show-swap --no-headers", "n1    1500m   50%   1024Mi   25%   1Mi   0%    \n"),
    ("top pod", PODS),
    ("top pods", PODS),
    ("top po web", "NAME   CPU(cores)   MEMORY(bytes)   \nweb    105m         192Mi           \n"),
    ("top pod -l app=db", "NAME   CPU(cores)   MEMORY(bytes)   \ndb     1000m        1024Mi          \n"),
    (
        "top pod --field-selector spec.nodeName=n1",
        "NAME   CPU(cores)   MEMORY(bytes)   \nweb    105m         192Mi           \n",
    ),
    ("top pod --no-headers", "db    1000m   1024Mi   \nweb   105m    192Mi    \n"),
    (
        "top pod --all-namespaces -l app=db",
        (
            "NAMESPACE   NAME   CPU(cores)   MEMORY(bytes)   \nother       db     2m           3Mi             \n"
            "shop        db     1000m        1024Mi          \n"
        ),
    ),
    (
        "top pod --containers",
        (
            "POD   NAME   CPU(cores)   MEMORY(bytes)   \ndb    pg     1000m        1024Mi          \n"
            "web   main   100m         64Mi            \nweb   side   5m           128Mi           \n"
        ),
    ),
    (
        "top pod web --containers --sort-by=memory --no-headers",
        "web   side   5m     128Mi   \nweb   main   100m   64Mi    \n",
    ),
    (
        "top pod -A --sort-by=memory --no-headers",
        "shop    db    1000m   1024Mi   \nshop    web   105m    192Mi    \nother   db    2m      3Mi      \n",
    ),
    (
        "top pod --sum",
        f"{PODS}       ________     ________        \n       1105m        1216Mi          \n",
    ),
    (
        "top pod web --sum --containers -A=false --show-swap --use-protocol-buffers=false",
        (
            "POD   NAME   CPU(cores)   MEMORY(bytes)   SWAP(bytes)   \n"
            "web   main   100m         64Mi            0Mi           \n"
            "web   side   5m           128Mi           3Mi           \n"
            "                          ________        ________      \n"
            "                          105m            192Mi         3Mi   \n"
        ),
    ),
    ("top pod web --show-swap --no-headers", "web   105m   192Mi   2Mi   \n"),
]


@pytest.mark.parametrize(("line", "stdout"), SHOWN, ids=[line for line, _ in SHOWN])
def test_usage_is_shown(line: str, stdout: str, top: Top) -> None:
    assert top(line) == Outcome(0, stdout, "")


SAID = [
    ("top node n3", 1, 'Error from server (NotFound): nodes.metrics.k8s.io "n3" not found\n'),
    ("top node -l zone=none", 1, "error: metrics not available yet\n"),
    ("top node n1 n2", 1, "error: node [NAME | -l label]\nSee 'kctl top node -h' for help and examples\n"),
    ("top node n1 -l zone=a", 1, "error: only one of NAME or --selector can be provided\n"),
    ("top node --sort-by=disk", 1, "error: --sort-by accepts only cpu or memory\n"),
    (
        "top node -l 'a!!'",
        1,
        "error: unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt\n",
    ),
    ("top pod none", 1, 'Error from server (NotFound): pods.metrics.k8s.io "none" not found\n'),
    ("top pod -l app=none", 0, "No resources found in shop namespace.\n"),
    ("top pod -l app=none -A", 0, "No resources found\n"),
    ("top pod -l app=young", 1, "error: metrics not available yet\n"),
    ("top pod web --field-selector a=b", 1, "error: only one of NAME or selector can be provided\n"),
    ("top pod --field-selector nonsense", 1, "error: invalid selector: 'nonsense'; can't understand 'nonsense'\n"),
    ("top pod --sort-by=name", 1, "error: --sort-by accepts only cpu or memory\n"),
    ("top nothing", 1, "error: unknown command \"nothing\"\nSee 'kctl top -h' for help and examples\n"),
]


@pytest.mark.parametrize(("line", "code", "stderr"), SAID, ids=[line for line, _, _ in SAID])
def test_what_has_no_metrics_is_said(line: str, code: int, stderr: str, top: Top) -> None:
    assert top(line) == Outcome(code, "", stderr)


def test_a_pod_that_nobody_measures_is_named_with_its_age(top: Top) -> None:
    refused = top("top pod -l app=old")
    assert (refused.code, refused.stdout) == (1, "")
    assert re.fullmatch(r"error: Metrics not available for pod shop/old, age: \d+h\d+m[\d.]+s\n", refused.stderr)


def test_the_newer_version_is_understood_too(tmp_path: Path) -> None:
    with metrics_server("v1") as url:
        assert _top(url, tmp_path, "top pod").stdout == PODS


def test_without_a_metrics_server_there_are_no_metrics(tmp_path: Path) -> None:
    with metrics_server("") as url:
        assert _top(url, tmp_path, "top node") == Outcome(1, "", "error: Metrics API not available\n")
        assert _top(url, tmp_path, "top pod") == Outcome(1, "", "error: Metrics API not available\n")
