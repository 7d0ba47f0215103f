"""What contradicts itself is told before anything is started."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from localplane.cli.errors import OptionsContradict
from localplane.cli.options import UpOptions

QUOTA = "--etcd-quota-backend-bytes"
HERE = Path("here")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"storage": "floppy"}, 'there is no --storage "floppy": it is one of etcd, sqlite, memory'),
        ({"etcd_servers": ("a",), "storage": "sqlite"}, "--etcd-servers and --storage=sqlite contradict"),
        ({"etcd_servers": ("a",), "etcd": HERE}, "--etcd-servers and --etcd contradict"),
        ({"etcd_cafile": HERE}, "--etcd-cafile, --etcd-certfile and --etcd-keyfile are for --etcd-servers"),
        ({"etcd_certfile": HERE}, "--etcd-cafile, --etcd-certfile and --etcd-keyfile are for --etcd-servers"),
        ({"etcd_keyfile": HERE}, "--etcd-cafile, --etcd-certfile and --etcd-keyfile are for --etcd-servers"),
        ({"etcd_user": "u"}, "--etcd-user and --etcd-password-file are for --etcd-servers"),
        ({"etcd_password_file": HERE}, "--etcd-user and --etcd-password-file are for --etcd-servers"),
        ({"etcd_servers": ("a",), "etcd_password_file": HERE}, "--etcd-password-file needs the user"),
        ({"etcd_servers": ("a",), "etcd_user": "u"}, "--etcd-user needs a password: --etcd-password-file, or KCTL_"),
        (
            {"etcd_servers": ("a",), "etcd_quota_backend_bytes": 1 << 30},
            QUOTA + " and --etcd-servers contradict",
        ),
        (
            {"storage": "sqlite", "etcd_quota_backend_bytes": 1 << 30},
            QUOTA + " and --storage=sqlite contradict",
        ),
        ({"etcd_quota_backend_bytes": 1 << 20}, QUOTA + " must be at least 4Mi"),
        ({"etcd_quota_backend_bytes": 0}, QUOTA + " must be at least 4Mi"),
        ({"etcd": HERE, "storage": "memory"}, "--etcd and --storage=memory contradict"),
        ({"data_dir": HERE, "ephemeral": True}, "--data-dir and --ephemeral contradict"),
        ({"data_dir": HERE, "storage": "memory"}, "--data-dir and --storage=memory contradict"),
        ({"port": 65536}, "--port 65536 is not between 0 and 65535"),
        ({"port": -1}, "--port -1 is not between 0 and 65535"),
        ({"bind_address": "home"}, '--bind-address "home" is no IP address'),
        ({"bind_address": "0.0.0.0"}, "--bind-address 0.0.0.0 lets other machines in: say --allow-remote"),
        ({"bind_address": "::"}, "--bind-address :: lets other machines in: say --allow-remote"),
        ({"watch": True}, "--watch needs manifests to watch"),
        ({"watch": True, "filenames": ("-",)}, "--watch and -f - contradict"),
        ({"wait": False}, "--no-wait is for --detach"),
        ({"timeout": timedelta(0)}, "--timeout must be longer than nothing"),
        ({"crds": (Path("/nowhere"),)}, '--crds: the path "/nowhere" does not exist'),
    ],
)
def test_contradictions_are_told(given: dict[str, Any], said: str) -> None:
    with pytest.raises(OptionsContradict) as caught:
        UpOptions(**given).checked()
    assert str(caught.value).startswith(said)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"bind_address": "127.0.0.2"},
        {"bind_address": "::1"},
        {"bind_address": "0.0.0.0", "allow_remote": True},
        {"etcd_servers": ("a",), "storage": "etcd", "etcd_cafile": HERE},
        {"etcd_servers": ("a",), "etcd_user": "u", "etcd_password_file": HERE},
        {"detach": True, "wait": False},
        {"port": 0},
    ],
)
def test_what_does_not_is_accepted(given: dict[str, Any]) -> None:
    UpOptions(**given).checked()


def test_a_password_may_be_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KCTL_ETCD_PASSWORD", "secret")
    UpOptions(etcd_servers=("a",), etcd_user="u").checked()


def test_a_detached_plane_leaves_the_directory_so_paths_become_absolute() -> None:
    checked = UpOptions(data_dir=HERE, kubeconfig=HERE, filenames=("a", "-"), crds=(Path("tests"),)).checked()
    assert checked.data_dir == checked.kubeconfig == HERE.absolute()
    assert checked.filenames == (str(Path("a").absolute()), "-")
    assert checked.crds == (Path("tests").absolute(),)


@pytest.mark.parametrize("field", ["etcd_cafile", "etcd_certfile", "etcd_keyfile", "etcd_password_file"])
def test_so_do_those_of_a_cluster(field: str) -> None:
    files: dict[str, Any] = {"etcd_password_file": HERE, field: HERE}
    checked = UpOptions(etcd_servers=("a",), etcd_user="u", **files).checked()
    assert getattr(checked, field) == HERE.absolute()
