"""What contradicts itself is told before anything is started."""

from __future__ import annotations

from pathlib import Path

import pytest

from localplane.cli.errors import OptionsContradict
from tests.unit.cli.command_lines import parse

QUOTA = "--etcd-quota-backend-bytes"
TLS_FILES = "--etcd-cafile, --etcd-certfile and --etcd-keyfile are for --etcd-servers"
USERS = "--etcd-user and --etcd-password-file are for --etcd-servers"
HERE = Path("here")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("--storage floppy", 'there is no --storage "floppy": it is one of etcd, sqlite, memory'),
        ("--etcd-servers a --storage sqlite", "--etcd-servers and --storage=sqlite contradict"),
        ("--etcd-servers a --etcd here", "--etcd-servers and --etcd contradict"),
        ("--etcd-cafile here", TLS_FILES),
        ("--etcd-certfile here", TLS_FILES),
        ("--etcd-keyfile here", TLS_FILES),
        ("--etcd-user u", USERS),
        ("--etcd-password-file here", USERS),
        ("--etcd-servers a --etcd-password-file here", "--etcd-password-file needs the user"),
        ("--etcd-servers a --etcd-user u", "--etcd-user needs a password: --etcd-password-file, or KCTL_"),
        (f"--etcd-servers a {QUOTA} 1Gi", QUOTA + " and --etcd-servers contradict"),
        (f"--storage sqlite {QUOTA} 1Gi", QUOTA + " and --storage=sqlite contradict"),
        (f"{QUOTA} 1Mi", QUOTA + " must be at least 4Mi"),
        (f"{QUOTA} 0", QUOTA + " must be at least 4Mi"),
        (f"{QUOTA} much", f'invalid argument "much" for "{QUOTA}" flag: '),
        ("--etcd here --storage memory", "--etcd and --storage=memory contradict"),
        ("--data-dir here --ephemeral", "--data-dir and --ephemeral contradict"),
        ("--data-dir here --storage memory", "--data-dir and --storage=memory contradict"),
        ("--port 65536", "--port 65536 is not between 0 and 65535"),
        ("--port -1", "--port -1 is not between 0 and 65535"),
        ("--nodes 5001", "--nodes 5001 is not between 0 and 5000"),
        ("--bind-address home", '--bind-address "home" is no IP address'),
        ("--bind-address 0.0.0.0", "--bind-address 0.0.0.0 lets other machines in: say --allow-remote"),
        ("--bind-address ::", "--bind-address :: lets other machines in: say --allow-remote"),
        ("--watch", "--watch needs manifests to watch"),
        ("--watch -f -", "--watch and -f - contradict"),
        ("--no-wait", "--no-wait is for --detach"),
        ("--timeout 0s", "--timeout must be longer than nothing"),
        ("--timeout soon", 'invalid argument "soon" for "--timeout" flag: '),
        ("--crds /nowhere", '--crds: the path "/nowhere" does not exist'),
    ],
)
def test_contradictions_are_told(line: str, said: str) -> None:
    with pytest.raises(OptionsContradict) as caught:
        parse(line).checked()
    assert str(caught.value).startswith(said)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "--bind-address 127.0.0.2",
        "--bind-address ::1",
        "--bind-address 0.0.0.0 --allow-remote",
        "--etcd-servers a --storage etcd --etcd-cafile here",
        "--etcd-servers a --etcd-user u --etcd-password-file here",
        "--detach --no-wait",
        "--port 0",
    ],
)
def test_what_does_not_is_accepted(line: str) -> None:
    parse(line).checked()


def test_a_password_may_be_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KCTL_ETCD_PASSWORD", "secret")
    parse("--etcd-servers a --etcd-user u").checked()


def test_a_detached_plane_leaves_the_directory_so_paths_become_absolute() -> None:
    checked = parse("--data-dir here --kubeconfig here -f a -f - --crds tests").checked()
    assert checked.storage.data_dir == checked.kubeconfig == HERE.absolute()
    assert checked.filenames == (str(Path("a").absolute()), "-")
    assert checked.crds == (Path("tests").absolute(),)


@pytest.mark.parametrize("field", ["etcd_cafile", "etcd_certfile", "etcd_keyfile", "etcd_password_file"])
def test_so_do_those_of_a_cluster(field: str) -> None:
    line = f"--etcd-servers a --etcd-user u --etcd-password-file here --{field.replace('_', '-')} here"
    assert getattr(parse(line).checked().storage, field) == HERE.absolute()
