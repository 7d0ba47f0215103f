"""Keys and values for config maps and secrets."""

from __future__ import annotations

from pathlib import Path

import pytest

from kctl.changes.create.configmap import add_env_files, add_files, add_literals
from kctl.errors import KctlError
from kctl.kustomize.resources.hashes import content_hash
from localplane.apimachinery.names import config_map_key


def collected(add: object, *arguments: object, **options: object) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    add(*arguments, found.__setitem__, **options)  # type: ignore[operator]  # one of the three below
    return found


def test_a_literal_is_split_at_its_first_equals_sign() -> None:
    assert collected(add_literals, ["a=b=c", "d="]) == {"a": b"b=c", "d": b""}


@pytest.mark.parametrize("text", ["novalue", "=value"])
def test_a_literal_without_a_key_or_a_value_is_refused(text: str) -> None:
    with pytest.raises(KctlError, match=f"^invalid literal source {text}, expected key=value$"):
        collected(add_literals, [text])


def test_of_a_directory_only_regular_files_are_taken(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text("b")
    (tmp_path / "a.bin").write_bytes(b"\xff")
    (tmp_path / "below").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "b.txt")
    assert collected(add_files, [str(tmp_path)]) == {"a.bin": b"\xff", "b.txt": b"b"}


def test_a_file_may_be_given_another_key(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("x")
    assert collected(add_files, [f"key={tmp_path / 'f'}"]) == {"key": b"x"}


WRONG = [
    ("=f", "key name for file path f missing"),
    ("k=", "file path for key name k missing"),
    ("a=b=c", "key names or file paths cannot contain '='"),
    ("absent", "error reading absent: no such file or directory"),
]


@pytest.mark.parametrize(("source", "message"), WRONG, ids=[source for source, _ in WRONG])
def test_a_source_that_is_no_file_is_refused(source: str, message: str) -> None:
    with pytest.raises(KctlError) as refused:
        collected(add_files, [source])
    assert str(refused.value) == message


def test_an_env_file_has_comments_and_takes_bare_names_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FROM_SHELL", "here")
    path = tmp_path / "env"
    path.write_bytes(b"\xef\xbb\xbfONE=1\n  # a comment\n\nTWO=two words=3\r\nFROM_SHELL\n")
    found = collected(add_env_files, [str(path)], what="config")
    assert found == {"ONE": b"1", "TWO": b"two words=3", "FROM_SHELL": b"here"}


def test_a_key_that_climbs_out_of_its_directory_is_refused() -> None:
    assert config_map_key("..") == ["must not be '..'"]
    assert config_map_key("..a") == ["must not start with '..'"]
    assert config_map_key("a..b") == []


def test_the_hash_of_a_config_map_is_the_one_kubectl_appends() -> None:
    assert content_hash({"kind": "ConfigMap", "name": "h", "data": {"a": "b"}}) == "tgm746dk2t"
