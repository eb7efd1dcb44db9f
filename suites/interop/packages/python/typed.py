"""What a type checker must accept, and reject."""

from assay_conformance import Received, Simulator

with Simulator(seed=7, only=["gateway"], limits={"publish.prepare-lifetime-ms": "61s"}) as sim:
    with sim.fault("gateway.server-down", {"server": "server-a"}, times=1) as fault:
        fault.remove()
    received: list[Received] = sim.requests(path="/v1/*", status="4xx")
    now: int = sim.clock.advance("1h")
    texts: list[str] = [request.request.body.text for request in received]
    urls: tuple[str, ...] = (sim.gateway.url, *sim.publish.domains, sim.env["OPENAI_BASE_URL"])

Simulator(seed="7")  # type: ignore[arg-type]
Simulator(sed=7)  # type: ignore[call-arg]
sim.stopp()  # type: ignore[attr-defined]
