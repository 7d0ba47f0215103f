"""What /readyz and its kin say, word for word."""

from __future__ import annotations

import logging

import pytest

from localplane.apiserver.server.monitoring.health import HealthCheck, Unhealthy, ping, report


async def _fails() -> None:
    raise Unhealthy("the disk is on fire")


CHECKS = (HealthCheck("ping", ping), HealthCheck("store", ping), HealthCheck("cache", ping))
FAILING = (HealthCheck("ping", ping), HealthCheck("store", _fails), HealthCheck("cache", _fails))


async def test_success_is_told_in_one_word() -> None:
    answer = await report("readyz", CHECKS)
    assert (answer.ok, answer.text) == (True, "ok")


async def test_success_is_told_in_full_when_asked_for() -> None:
    answer = await report("readyz", CHECKS, verbose=True)
    assert answer.ok
    assert answer.text == "[+]ping ok\n[+]store ok\n[+]cache ok\nreadyz check passed\n"


@pytest.mark.parametrize("verbose", [False, True])
async def test_failure_is_always_told_in_full_but_never_why(*, verbose: bool, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        answer = await report("livez", FAILING, verbose=verbose)
    assert not answer.ok
    assert answer.text == (
        "[+]ping ok\n[-]store failed: reason withheld\n[-]cache failed: reason withheld\nlivez check failed\n"
    )
    assert [record.getMessage() for record in caplog.records] == [
        "livez check store failed: the disk is on fire",
        "livez check cache failed: the disk is on fire",
    ]


async def test_a_check_that_is_excluded_is_not_run() -> None:
    answer = await report("readyz", FAILING, verbose=True, exclude=["store", "cache"])
    assert answer.ok
    assert answer.text == "[+]ping ok\n[+]store excluded: ok\n[+]cache excluded: ok\nreadyz check passed\n"


async def test_checks_that_do_not_exist_cannot_be_excluded() -> None:
    answer = await report("readyz", CHECKS[:1], verbose=True, exclude=["b", "a"])
    assert answer.text == (
        '[+]ping ok\nwarn: some health checks cannot be excluded: no matches for "a", "b"\nreadyz check passed\n'
    )
    assert (await report("readyz", CHECKS[:1], exclude=["b"])).text == "ok"


async def test_the_warning_stands_before_the_verdict_when_a_check_fails() -> None:
    answer = await report("readyz", FAILING[1:2], exclude=["b"])
    assert answer.text == (
        "[-]store failed: reason withheld\n"
        'warn: some health checks cannot be excluded: no matches for "b"\n'
        "readyz check failed\n"
    )
