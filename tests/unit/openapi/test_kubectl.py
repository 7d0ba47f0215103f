"""A real kubectl reads our documents."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.unit.discovery.toys import CORE, TOYS
from tests.unit.openapi.toy_server import ToyServer, toy_server

WIDGET = """
apiVersion: toys.example.com/v1
kind: Widget
metadata: {name: a, namespace: default}
spec: {size: 1}
"""


@pytest.fixture
async def server() -> AsyncIterator[ToyServer]:
    async with toy_server([CORE, TOYS]) as running:
        yield running


@pytest.fixture
def kubectl() -> str:
    found = shutil.which("kubectl") or shutil.which(".tools/kubectl")
    if found is None:
        pytest.fail("this test needs a kubectl: `make kubectl` gets one")
    return str(Path(found).absolute())


async def run(kubectl: str, server: ToyServer, home: Path, *arguments: str, stdin: str = "") -> str:
    """What kubectl prints. It has a home of its own, so it knows no cluster and remembers nothing."""
    process = await asyncio.create_subprocess_exec(
        kubectl,
        f"--server={server.url}",
        *arguments,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={"HOME": str(home), "PATH": "/usr/bin:/bin"},
    )
    out, err = await process.communicate(stdin.encode())
    assert process.returncode == 0, err.decode()
    return out.decode()


async def test_api_resources_shows_names_scopes_and_kinds(kubectl: str, server: ToyServer, tmp_path: Path) -> None:
    out = await run(kubectl, server, tmp_path, "api-resources")
    assert [line.split() for line in out.splitlines()] == [
        ["NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND"],
        ["configmaps", "cm", "v1", "true", "ConfigMap"],
        ["namespaces", "ns", "v1", "false", "Namespace"],
        ["widgets", "wd", "toys.example.com/v1", "true", "Widget"],
    ]


async def test_api_resources_shows_verbs_and_categories(kubectl: str, server: ToyServer, tmp_path: Path) -> None:
    out = await run(kubectl, server, tmp_path, "api-resources", "--categories=all", "--no-headers", "-o", "wide")
    assert out.split()[-2:] == ["create,delete,deletecollection,get,list,patch,update,watch", "all"]


async def test_api_versions_lists_every_version(kubectl: str, server: ToyServer, tmp_path: Path) -> None:
    assert (await run(kubectl, server, tmp_path, "api-versions")).split() == ["toys.example.com/v1", "v1"]


async def test_two_requests_tell_everything(kubectl: str, server: ToyServer, tmp_path: Path) -> None:
    await run(kubectl, server, tmp_path, "api-resources")
    assert sorted(path for path in server.paths() if path.startswith("GET /api")) == ["GET /api", "GET /apis"]


async def test_explain_shows_fields_with_their_types_and_words(kubectl: str, server: ToyServer, tmp_path: Path) -> None:
    out = await run(kubectl, server, tmp_path, "explain", "widgets.spec")
    assert "GROUP:      toys.example.com" in out
    assert "FIELD: spec <WidgetSpec>" in out
    assert "How it should be." in out
    assert "size\t<integer> -required-\n    Its width in millimetres." in out
    assert "colors\t<[]string>" in out


async def test_explain_follows_all_fields(kubectl: str, server: ToyServer, tmp_path: Path) -> None:
    out = await run(kubectl, server, tmp_path, "explain", "widgets", "--recursive")
    fields = [line.split()[0] for line in out.partition("FIELDS:")[2].splitlines() if line.strip()]
    assert fields[:3] == ["apiVersion", "kind", "metadata"]
    assert {"ownerReferences", "managedFields", "colors", "size", "inner"} <= set(fields)


async def test_create_leaves_validation_to_the_server(kubectl: str, server: ToyServer, tmp_path: Path) -> None:
    """It has found fieldValidation in our document, and so downloads no old one."""
    out = await run(kubectl, server, tmp_path, "create", "--validate=strict", "-f", "-", stdin=WIDGET)
    assert out == "widget.toys.example.com/a created\n"
    assert server.seen[-1].startswith("POST /apis/toys.example.com/v1/namespaces/default/widgets?")
    assert "fieldValidation=Strict" in server.seen[-1]
    assert "GET /openapi/v3/apis/toys.example.com/v1" in server.paths()


async def test_a_server_side_dry_run_is_trusted(kubectl: str, server: ToyServer, tmp_path: Path) -> None:
    arguments = ("apply", "--server-side", "--dry-run=server", "-f", "-")
    out = await run(kubectl, server, tmp_path, *arguments, stdin=WIDGET)
    assert out == "widget.toys.example.com/a serverside-applied (server dry run)\n"
    assert "dryRun=All" in server.seen[-1]
