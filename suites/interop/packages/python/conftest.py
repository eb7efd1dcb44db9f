import pytest


@pytest.fixture(scope="session")
def assay_sim_options():
    return {"seed": 7, "only": ["gateway", "network"]}
