import json

import pytest
from testcontainers.core.container import DockerContainer
from testcontainers.core.wait_strategies import HttpWaitStrategy

SIM = "sim --json --seed 7 --clock auto --only gateway --listen 0.0.0.0:4100 --public-host 127.0.0.1 --token-file /tmp/token"


@pytest.fixture(scope="session")
def simulator():
    container = DockerContainer("assay:0.1.0").with_command(SIM).with_copy_into_container(b"my-token", "/tmp/token", 0o444)
    container.with_bind_ports(4100, 4100).with_bind_ports(4101, 4101).waiting_for(HttpWaitStrategy(4100, "/healthz"))
    with container:
        yield json.loads(container.get_logs()[0])  # control, sites, services
