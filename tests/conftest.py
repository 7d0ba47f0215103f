"""What concerns every test run, also the process that hands the tests out to others."""

from __future__ import annotations

import gc
import signal

import pytest
from hypothesis import HealthCheck, settings

from tests.contract.summary import ContractSummary


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "upstream(*functions): functions of Kubernetes' storage suite that a test covers"
    )
    config.pluginmanager.register(ContractSummary(), "contract-summary")
    # How long an example takes says how busy the machine is, and nothing of the code.
    patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.register_profile("same", patient, derandomize=True, max_examples=50)
    settings.register_profile("other", patient, max_examples=500)
    settings.load_profile(config.getoption("--hypothesis-profile") or "same")
    # A shell ignores Ctrl-C for what it runs in the background, and children inherit that: tests send it to theirs.
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """What was collected and imported lasts as long as the run: no walk of the garbage collector need pass by it."""
    gc.collect()
    gc.freeze()
