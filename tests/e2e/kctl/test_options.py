"""`kctl options`: the flags that every command has, and what exit codes mean."""

from __future__ import annotations

from kctl.command_line.global_flags import GLOBAL_FLAGS
from kctl.errors import EXIT_CODES
from tests.e2e.command_line import Outcome
from tests.e2e.conftest import Kctl


def test_each_flag_is_listed_with_its_letter_and_what_it_does(run_kctl: Kctl) -> None:
    done = run_kctl("options", COLUMNS="100")
    assert (done.code, done.stderr) == (0, "")
    assert done.stdout.startswith("Every command has these flags, before or after its name.\n\nFlags:\n")
    for flag in GLOBAL_FLAGS:
        short = f"-{flag.short}, " if flag.short else "    "
        assert f"\n  {short}--{flag.name}" in done.stdout
    assert "\n  -n, --namespace TEXT              In which namespace.\n" in done.stdout
    assert all(len(line) <= 100 for line in done.stdout.splitlines())


def test_exit_codes_are_told(run_kctl: Kctl) -> None:
    shown = run_kctl("options", "ignored").stdout.partition("\nExit codes with --error-format=json:\n")[2]
    for code, meaning in EXIT_CODES:
        assert f"  {code}  {meaning[:40]}" in shown


def test_its_own_flags_are_none(run_kctl: Kctl) -> None:
    assert run_kctl("options", "--bogus") == Outcome(
        1, "", "error: unknown flag: --bogus\nRun 'kctl options' without flags.\n"
    )
