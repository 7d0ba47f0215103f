"""`kctl cp` against a server whose containers are processes of this machine: both sides are directories here."""

from __future__ import annotations

import io
import os
import tarfile
from pathlib import Path

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.streaming.talking import Talk

REMOVING = "tar: Removing leading `/' from member names\n"


@pytest.fixture
def here(talk: Talk) -> Path:
    """A file, a file in a directory, an empty directory and a link."""
    here = talk.directory / "here"
    (here / "deep" / "empty").mkdir(parents=True)
    (here / "a").write_bytes(bytes(range(256)) * 500)
    (here / "deep" / "b").write_text("text")
    (here / "link").symlink_to("/etc/passwd")
    (here / "a").chmod(0o640)
    return here


@pytest.fixture
def there(talk: Talk) -> Path:
    there = talk.directory / "there"
    there.mkdir()
    return there


def names(directory: Path) -> list[str]:
    return sorted(str(one.relative_to(directory)) for one in directory.rglob("*"))


def test_files_go_to_a_container(talk: Talk, here: Path, there: Path) -> None:
    assert talk("cp", "here", f"one:{there}/copy") == Outcome(0, "", "")
    assert names(there / "copy") == ["a", "deep", "deep/b", "deep/empty", "link"]
    assert (there / "copy" / "a").read_bytes() == (here / "a").read_bytes()
    assert (there / "copy" / "link").is_symlink()
    assert (there / "copy" / "a").stat().st_mode & 0o777 == 0o640


def test_a_directory_that_is_there_gets_a_copy_inside(talk: Talk, here: Path, there: Path) -> None:
    (there / "a").mkdir()
    assert talk("cp", "here/a", f"one:{there}/a/") == Outcome(0, "", "")
    assert (there / "a" / "a").read_bytes() == (here / "a").read_bytes()
    assert talk("cp", "here/", f"one:{there}/a") == Outcome(0, "", "")
    assert (there / "a" / "here" / "deep" / "b").read_text() == "text"


def test_it_is_asked_for_as_kubectl_asks(talk: Talk, here: Path) -> None:
    assert here.exists()
    pod = "GET /api/v1/namespaces/default/pods/two"
    both, fed = "container=main&stderr=true&stdout=true", "container=main&stderr=true&stdin=true&stdout=true"
    assert talk.asked("cp", "here/a", "two:/nowhere/x") == [
        pod,
        f"{pod}/exec?command=test&command=-d&command=%2Fnowhere%2Fx&{both}",
        pod,
        f"{pod}/exec?command=tar&command=-xmf&command=-&command=-C&command=%2Fnowhere&{fed}",
    ]
    assert talk.asked("cp", "two:/nowhere/x", "y") == [
        pod,
        f"{pod}/exec?command=tar&command=cf&command=-&command=%2Fnowhere%2Fx&{both}",
    ]


def test_owners_and_permissions_are_left_out_on_request(talk: Talk, here: Path, there: Path) -> None:
    assert here.exists()
    assert talk("cp", "--no-preserve", "here/a", f"one:{there}/a") == Outcome(0, "", "")
    asked = talk.kubelet.requests[-1]
    assert "command=tar&command=--no-same-permissions&command=--no-same-owner&command=-xmf" in asked


def test_files_come_from_a_container(talk: Talk, there: Path) -> None:
    (there / "deep").mkdir()
    (there / "a").write_bytes(bytes(range(256)) * 5000)
    (there / "deep" / "b").write_text("text")
    (there / "one").symlink_to("/etc/passwd")
    (there / "two").symlink_to("x")
    done = talk("cp", f"default/one:{there}", "back")
    lines = sorted(done.stderr.splitlines())
    assert (done.code, done.stdout) == (0, REMOVING)
    assert sum("skipping symlink" in line for line in lines) == 2
    hint = f'(consider using "kctl exec -n "default" "one" -- tar cf - "{there}" | tar xf -")'
    assert sum(line.endswith(hint) for line in lines) == 1
    assert names(talk.directory / "back") == ["a", "deep", "deep/b"]
    assert (talk.directory / "back" / "a").read_bytes() == (there / "a").read_bytes()
    assert talk("cp", f"one:{there}/a", "new/place/c") == Outcome(0, REMOVING, "")
    assert (talk.directory / "new" / "place" / "c").read_bytes() == (there / "a").read_bytes()


def test_the_container_is_chosen_and_its_words_go_where_kubectl_puts_them(talk: Talk, there: Path) -> None:
    (there / "f").write_text("f")
    defaulted = 'Defaulted container "main" out of: main, side\n'
    assert talk("cp", f"two:{there}/f", "f") == Outcome(0, defaulted + REMOVING, "")
    assert talk("cp", "f", f"two:{there}/g") == Outcome(0, "", defaulted)
    for flag in ("-c", "--container"):
        assert talk("cp", flag, "side", f"two:{there}/f", "f") == Outcome(0, REMOVING, "")
        assert "container=side&" in talk.kubelet.requests[-1]


def test_a_copy_that_stops_early_is_resumed(talk: Talk, there: Path) -> None:
    """A `tail` that gives only the half at first stands for a bad line."""
    (there / "f").write_bytes(os.urandom(300_000))
    tools = talk.directory / "tools"
    tools.mkdir()
    (tools / "tail").write_text(
        "#!/bin/sh\n"
        f'if [ -e {there}/once ]; then exec /usr/bin/tail "$@"; fi\n'
        f'touch {there}/once; /usr/bin/tail "$@" | head -c 150000; cat > /dev/null\n'
    )
    (tools / "tail").chmod(0o755)
    path = os.environ["PATH"]
    os.environ["PATH"] = f"{tools}:{path}"  # the containers are processes of this one
    try:
        stopped = talk("cp", f"one:{there}/f", "f", "--retries=0")
        assert stopped == Outcome(0, REMOVING, "")  # no tail is used without retries
        done = talk("cp", f"one:{there}/f", "copy", "--retries=2")
    finally:
        os.environ["PATH"] = path
    assert done.code == 0
    assert "Resuming copy at 150000 bytes, retry 1/2\n" in done.stdout
    assert (talk.directory / "copy").read_bytes() == (there / "f").read_bytes()
    assert "tail+-c%2B150001" in talk.kubelet.requests[-1]


def tar(path: Path, *members: tuple[str, str]) -> None:
    """An archive with names that no tar would write."""
    with tarfile.open(path, "w") as archive:
        for name, content in members:
            member = tarfile.TarInfo(name)
            if content.startswith("->"):
                member.type, member.linkname = tarfile.SYMTYPE, content[2:]
                archive.addfile(member)
            else:
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content.encode()))


@pytest.fixture
def evil(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An archive that the container's tar answers with, whatever it is asked for."""
    tools = talk.directory / "tools"
    tools.mkdir()
    archive = talk.directory / "evil.tar"
    (tools / "tar").write_text(f"#!/bin/sh\ncat {archive}\n")
    (tools / "tar").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    return archive


def test_what_would_be_written_elsewhere_is_left_out(talk: Talk, evil: Path) -> None:
    tar(evil, ("x/good", "1"), ("x/../../escaped", "2"), ("x/deep/../../../escaped", "3"))
    done = talk("cp", "one:x", "inside/target")
    said = 'warning: file "{}" is outside target destination, skipping\n'
    assert done == Outcome(0, "", said.format("escaped") * 2)
    assert names(talk.directory / "inside") == ["target", "target/good"]
    assert not (talk.directory / "escaped").exists()


def test_an_archive_of_something_else_is_refused(talk: Talk, evil: Path) -> None:
    for name in ("/etc/passwd", "../x/file", "y"):
        tar(evil, (name, "1"))
        assert talk("cp", "one:x", "target") == Outcome(1, "", "error: tar contents corrupted\n")
    assert not (talk.directory / "target").exists()


def test_a_link_is_not_followed_by_what_comes_after_it(talk: Talk, evil: Path) -> None:
    outside = talk.directory / "outside"
    outside.mkdir()
    tar(evil, ("x/link", f"->{outside}"), ("x/link/file", "1"))
    assert talk("cp", "one:x", "target").code == 0
    assert names(outside) == []
    assert names(talk.directory / "target") == ["link", "link/file"]
    assert not (talk.directory / "target" / "link").is_symlink()


def test_an_archive_that_ends_too_early_is_an_error(talk: Talk, evil: Path) -> None:
    tar(evil, ("x", "1" * 5000))
    evil.write_bytes(evil.read_bytes()[:3000])
    dropped = "Dropping out copy after 0 retries\n"
    assert talk("cp", "one:x", "target") == Outcome(1, dropped, "error: unexpected EOF\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "error: source and destination are required\n"),
        (("a", "b", "c"), "error: source and destination are required\n"),
        (("a", "b"), "error: one of src or dest must be a remote file specification\n"),
        (("one:a", "two:b"), "error: one of src or dest must be a local file specification\n"),
        (("one:", "x"), "error: filepath can not be empty\n"),
        (("x", "one:"), "error: filepath can not be empty\n"),
        ((":x", "y"), "error: filespec must match the canonical format: [[namespace/]pod:]file/path\n"),
        (("a/b/c:x", "y"), "error: filespec must match the canonical format: [[namespace/]pod:]file/path\n"),
        (("nothing", "one:/tmp/x"), "error: nothing doesn't exist in local filesystem\n"),
        (("nobody:/x", "y"), 'Error from server (NotFound): pods "nobody" not found\n'),
        (("one:/x", "y", "-c", "z"), "error: container z is not valid for pod one out of: main\n"),
        (("done:/x", "y"), "error: cannot exec into a container in a completed pod; current phase is Succeeded\n"),
    ],
)
def test_refusals(talk: Talk, arguments: tuple[str, ...], said: str) -> None:
    assert talk("cp", *arguments) == Outcome(1, "", said)


def test_what_goes_wrong_in_the_container_is_the_exit_code(talk: Talk, here: Path, there: Path) -> None:
    assert here.exists()
    done = talk("cp", "here/a", f"one:{there}/none/x")
    assert (done.code, done.stderr.splitlines()[-1]) == (2, "command terminated with exit code 2")
    missing = talk("cp", f"one:{there}/none", "x")
    assert (missing.code, missing.stderr) == (2, "command terminated with exit code 2\n")
