"""Which etcd is used: who is asked first, what is refused, and what is said about it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from localplane.apiserver.storage.etcd.program.binary import EtcdNotFound, EtcdUnusable, find_etcd
from tests.integration.etcd_install.release_host import etcd_script

GOOD = "3.5.20"
OLD = "3.5.1"


class Places:
    """One directory on PATH and one cache, both empty."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.environ = {"PATH": str(directory / "bin"), "XDG_CACHE_HOME": str(directory / "cache")}

    def put(self, place: str, content: bytes | None = None, *, version: str = GOOD) -> Path:
        path = self.directory / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(etcd_script(version) if content is None else content)
        path.chmod(0o755)
        return path

    def on_path(self, *, version: str = GOOD) -> Path:
        return self.put("bin/etcd", version=version)

    def cached(self, *, version: str = GOOD) -> Path:
        return self.put(f"cache/kctl/etcd/{version}/etcd", version=version)


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path)


def test_the_flag_comes_first_then_the_variable_then_path_then_the_cache(places: Places) -> None:
    cached, on_path = places.cached(), places.on_path()
    by_variable, by_flag = places.put("variable/etcd"), places.put("flag/etcd")
    named = {**places.environ, "KCTL_ETCD": str(by_variable)}

    first = find_etcd(explicit=by_flag, environ=named)
    second = find_etcd(environ=named)
    third = find_etcd(environ=places.environ)
    on_path.unlink()
    fourth = find_etcd(environ=places.environ)

    assert [one.path for one in (first, second, third, fourth)] == [by_flag, by_variable, on_path, cached]
    assert [one.source for one in (first, second, third, fourth)] == ["--etcd", "KCTL_ETCD", "PATH", "cache"]
    assert {one.version for one in (first, second, third, fourth)} == {GOOD}


def test_the_newest_in_the_cache_is_used_by_number_and_not_by_letter(places: Places) -> None:
    places.cached(version="3.5.9999")
    newest = places.cached(version="3.5.10000")
    places.put("cache/kctl/etcd/.install-abc/etcd")
    assert find_etcd(environ=places.environ).path == newest


def test_an_empty_variable_is_no_variable(places: Places) -> None:
    places.on_path()
    assert find_etcd(environ={**places.environ, "KCTL_ETCD": ""}).source == "PATH"


def test_when_nothing_is_there_the_message_says_where_it_looked_and_what_to_do(places: Places) -> None:
    with pytest.raises(EtcdNotFound, match=r"no etcd on PATH or in .*/cache/kctl/etcd; run `kctl etcd install`"):
        find_etcd(environ=places.environ)


def test_an_unfit_one_on_path_is_passed_over_for_the_cache(places: Places) -> None:
    places.on_path(version=OLD)
    cached = places.cached()
    assert find_etcd(environ=places.environ).path == cached


def test_an_unfit_one_on_path_is_named_when_there_is_no_other(places: Places) -> None:
    on_path = places.on_path(version=OLD)
    with pytest.raises(EtcdUnusable) as caught:
        find_etcd(environ=places.environ)
    assert str(caught.value) == (
        f"no usable etcd: {on_path} is etcd 3.5.1, and 3.5.16 or later is needed, because earlier ones lose "
        "acknowledged writes or watch events; run `kctl etcd install`, or name another with --etcd PATH or KCTL_ETCD"
    )


@pytest.mark.parametrize("version", ["3.4.34", "3.5.1", "3.5.15", "2.3.8"])
def test_versions_that_lose_data_are_refused(version: str, places: Places) -> None:
    with pytest.raises(EtcdUnusable, match=rf"is etcd {version}, and 3\.5\.16 or later is needed"):
        find_etcd(explicit=places.put("etcd", version=version), environ={})


@pytest.mark.parametrize("version", ["3.5.16", "3.6.0", "3.6.0-rc.1", "3.10.0", "4.0.0"])
def test_versions_that_keep_data_are_taken(version: str, places: Places) -> None:
    assert find_etcd(explicit=places.put("etcd", version=version), environ={}).version == version


def test_whoever_allows_unsafe_ones_gets_them(places: Places) -> None:
    path = places.put("etcd", version=OLD)
    assert find_etcd(explicit=path, allow_unsafe=True, environ={}).version == OLD


@pytest.mark.parametrize("name", ["--etcd", "KCTL_ETCD"])
def test_a_named_one_that_is_wrong_is_an_error_even_if_another_would_do(name: str, places: Places) -> None:
    places.on_path()
    missing = places.directory / "missing"
    explicit = missing if name == "--etcd" else None
    environ = places.environ if name == "--etcd" else {**places.environ, "KCTL_ETCD": str(missing)}
    with pytest.raises(EtcdUnusable, match=rf"^{name}: {missing} does not exist; run `kctl etcd install`"):
        find_etcd(explicit=explicit, environ=environ)


def not_executable(places: Places) -> Path:
    path = places.put("etcd")
    path.chmod(0o644)
    return path


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda places: places.directory, "is a directory, not a program"),
        (not_executable, "may not be executed"),
        (lambda places: places.put("etcd", b"\x7fELF for another machine"), "is built for another machine"),
        (lambda places: places.put("etcd", b"\x00\x01"), "is not a program"),
        (lambda places: places.put("etcd", b"#!/no/such/shell\n"), "needs a loader or interpreter that is missing"),
        (
            lambda places: places.put("etcd", b"#!/bin/sh\necho hello\n"),
            "is not etcd: to --version it answered 'hello'",
        ),
        (lambda places: places.put("etcd", b"#!/bin/sh\nexit 1\n"), "is not etcd: to --version it answered ''"),
        (lambda places: places.put("etcd", b"#!/bin/sh\necho etcd Version: new\n"), "is not etcd"),
    ],
)
def test_what_can_not_be_used_is_told_in_a_sentence(
    make: Callable[[Places], Path], sentence: str, places: Places
) -> None:
    path = make(places)
    with pytest.raises(EtcdUnusable) as caught:
        find_etcd(explicit=path, environ={})
    assert str(caught.value).startswith(f"--etcd: {path} {sentence}")


def test_etcd_is_not_configured_by_the_callers_environment(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ETCD_NAME", "from-the-outside")
    script = b'#!/bin/sh\ntest -z "$ETCD_NAME" && echo "etcd Version: 3.5.20"\n'
    assert find_etcd(explicit=places.put("etcd", script), environ={}).version == GOOD
