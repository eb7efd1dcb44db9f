"""Fixtures for pytest: `assay_sim` is a simulator that begins each test as it started."""

from typing import Any, Dict, Iterator

import pytest

from .simulator import Simulator, SimulatorError


@pytest.fixture(scope="session")
def assay_sim_options() -> Dict[str, Any]:
    """The arguments of `Simulator`. Define a fixture of this name in conftest.py to set them."""
    return {}


@pytest.fixture(scope="session")
def assay_simulator(assay_sim_options: Dict[str, Any]) -> Iterator[Simulator]:
    """The simulator of the session, as the tests have left it."""
    with Simulator(**assay_sim_options) as sim:
        yield sim


@pytest.fixture
def assay_sim(assay_simulator: Simulator) -> Simulator:
    """The simulator of the session, restored to its start."""
    assay_simulator.reset()
    return assay_simulator


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: Any) -> Any:
    """A failed test shows what the simulator received."""
    report = (yield).get_result()
    sim = getattr(item, "funcargs", {}).get("assay_sim")
    if sim and report.when == "call" and report.failed:
        try:
            received = "\n".join(map(repr, sim.requests())) or "none"
        except SimulatorError as error:
            received = str(error)
        report.sections.append(("Requests that assay_sim received", received))
