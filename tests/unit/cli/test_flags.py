"""Every flag arrives. `kctl up` and `localplane` read the same ones."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from localplane.cli.flags import up_command
from localplane.cli.options import UpOptions

FLAGS: list[tuple[str, dict[str, Any]]] = [
    ("--name a", {"name": "a"}),
    ("--port 7000", {"port": 7000}),
    ("--port 0", {"port": 0}),
    ("--bind-address ::1", {"bind_address": "::1"}),
    ("--allow-remote", {"allow_remote": True}),
    ("--storage memory", {"storage": "memory"}),
    ("--data-dir d", {"data_dir": Path("d")}),
    ("--ephemeral", {"ephemeral": True}),
    ("--etcd e", {"etcd": Path("e")}),
    ("--allow-unsafe-etcd", {"allow_unsafe_etcd": True}),
    ("--etcd-servers https://a,https://b", {"etcd_servers": ("https://a", "https://b")}),
    ("--etcd-cafile c", {"etcd_cafile": Path("c")}),
    ("--etcd-certfile c", {"etcd_certfile": Path("c")}),
    ("--etcd-keyfile c", {"etcd_keyfile": Path("c")}),
    ("--etcd-user u", {"etcd_user": "u"}),
    ("--etcd-password-file p", {"etcd_password_file": Path("p")}),
    ("--etcd-prefix x/", {"etcd_prefix": "/x"}),
    ("--etcd-quota-backend-bytes 16Gi", {"etcd_quota_backend_bytes": 16 << 30}),
    ("--etcd-quota-backend-bytes 5000000", {"etcd_quota_backend_bytes": 5_000_000}),
    ("--accept-data-loss", {"accept_data_loss": True}),
    ("-f a -f b", {"filenames": ("a", "b")}),
    ("--filename a", {"filenames": ("a",)}),
    ("--watch", {"watch": True}),
    ("--crds c --crds d", {"crds": (Path("c"), Path("d"))}),
    ("--controllers *,-namespace-controller", {"controllers": ("*", "-namespace-controller")}),
    ("--controllers=-a --controllers b", {"controllers": ("-a", "b")}),
    ("--enable-admission-plugins A,B", {"enable_admission_plugins": ("A", "B")}),
    ("--disable-admission-plugins A,B", {"disable_admission_plugins": ("A", "B")}),
    ("--nodes 3", {"nodes": 3}),
    ("--seed 7", {"seed": 7}),
    ("-d", {"detach": True}),
    ("--detach", {"detach": True}),
    ("--no-wait", {"wait": False}),
    ("--wait", {"wait": True}),
    ("--timeout 1m30s", {"timeout": timedelta(seconds=90)}),
    ("--kubeconfig k", {"kubeconfig": Path("k")}),
    ("--no-switch-context", {"switch_context": False}),
    ("-v", {"verbose": True}),
    ("--verbose", {"verbose": True}),
]


def parse(line: str) -> UpOptions:
    heard: list[UpOptions] = []

    def start(options: UpOptions) -> int:
        heard.append(options)
        return 0

    app = typer.Typer(pretty_exceptions_enable=False)
    app.command()(up_command(start))
    result = CliRunner().invoke(app, line.split())
    assert result.exit_code == 0, result.output
    return heard[0]


@pytest.mark.parametrize(("line", "expected"), FLAGS, ids=[line for line, _ in FLAGS])
def test_every_flag_arrives(line: str, expected: dict[str, Any]) -> None:
    assert parse(line) == replace(UpOptions(), **expected)


def test_no_option_is_without_a_flag() -> None:
    told = {name for _, expected in FLAGS for name in expected}
    assert {field.name for field in fields(UpOptions)} - told == {"merge_context"}


def test_the_exit_code_is_what_the_start_returned() -> None:
    app = typer.Typer()
    app.command()(up_command(lambda _: 3))
    assert CliRunner().invoke(app, []).exit_code == 3
