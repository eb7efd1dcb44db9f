"""Every member of `Simulator`, its errors, and its end."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import anthropic
import openai
import pytest
from assay_conformance import Simulator, SimulatorError, program
from container import SIM

HI = [{"role": "user", "content": "Hello"}]


def status(url, **headers):
    """The status of a GET request."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as response:
            return response.status
    except urllib.error.HTTPError as error:
        return error.code


def chat(sim, key=None):
    client = openai.OpenAI(base_url=sim.gateway.url + "/v1", api_key=key or sim.gateway.key, max_retries=0)
    return client.chat.completions.create(model=sim.gateway.models[0], messages=HI)


def wait_until(holds):
    deadline = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def answers(port):
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


def test_both_client_libraries_get_answers(assay_sim, monkeypatch):
    for name, value in assay_sim.env.items():
        monkeypatch.setenv(name, value)
    said = chat(assay_sim).choices[0].message.content
    events = openai.OpenAI().chat.completions.create(model="assay-chat", messages=HI, stream=True)
    assert "".join(event.choices[0].delta.content or "" for event in events)
    message = anthropic.Anthropic().messages.create(model="assay-chat", max_tokens=100, messages=HI)
    assert message.content[0].text and said
    requests = assay_sim.requests(method="POST", site="gateway", status=200)
    assert [request.target for request in requests] == ["/v1/chat/completions"] * 2 + ["/v1/messages"]
    assert requests[2].request.body.json()["messages"] == HI
    assert requests[0].request.headers["authorization"] == f"Bearer {assay_sim.gateway.key}"
    assert "data: [DONE]" in requests[1].response.body.text
    assert assay_sim.requests(after=requests[1].exchange) == requests[2:]


def test_the_same_test_gets_the_same_bytes(assay_sim):
    first = chat(assay_sim)
    assay_sim.reset()
    assert chat(assay_sim) == first
    with Simulator(seed=7, only=["gateway"]) as other, Simulator(seed=8, only=["gateway"]) as third:
        assert chat(other) == first != chat(third)
        assert other.gateway.key == assay_sim.gateway.key
        assert not {*other.urls.values(), other.control_url} & {*assay_sim.urls.values(), assay_sim.control_url}


def test_a_reset_ends_what_a_test_has_changed(assay_sim):
    start, limits = assay_sim.clock.now(), assay_sim.control("GET", "limits")
    assert assay_sim.clock.advance("1h30m") == assay_sim.clock.advance(0) == start + 5_400_000
    assay_sim.fault("gateway.server-down")
    assay_sim.vary("wire.prose")
    assay_sim.deviate("network.info.prefix")
    assay_sim.limit("network.general-per-window", 1)
    assert assay_sim.control("GET", "limits")["network"]["general_per_window"] == 1
    assay_sim.reset()
    assert (assay_sim.clock.now(), assay_sim.control("GET", "limits")) == (start, limits)
    for active in (assay_sim.faults, assay_sim.variations, assay_sim.deviations):
        assert active.list() == []
    assert assay_sim.requests() == assay_sim.why() == []


def test_a_block_removes_what_it_has_added(assay_sim):
    kept = assay_sim.fault("gateway.server-down", {"server": "server-a"}, times=3, from_="1h", until="2h")
    at = {"endpoint": "chat"}
    with assay_sim.fault("gateway.server-down"), assay_sim.vary("wire.prose"), assay_sim.deviate("gateway.chat.body", at):
        with pytest.raises(openai.APIStatusError, match="503"):
            chat(assay_sim)
        assert [fault["matched"] > 0 for fault in assay_sim.faults.list()] == [False, True]
        assert assay_sim.variations.list() == ["wire.prose"]
        assert assay_sim.deviations.list() == [{"id": "gateway.chat.body", "at": at}]
    (fault,) = assay_sim.faults.list()
    assert (fault["where"], fault["times"]) == ({"server": "server-a"}, 3)
    assert assay_sim.variations.list() == assay_sim.deviations.list() == []
    chat(assay_sim)
    kept.remove()
    kept.remove()
    assert assay_sim.faults.list() == []
    assay_sim.fault("gateway.server-down", nth=1)
    assay_sim.faults.clear()
    assert assay_sim.faults.list() == []


def test_violated_rules_have_reasons(assay_sim):
    assert status(assay_sim.network.url + "/nothing?a=1") == 404
    (request,) = assay_sim.requests(rule="network.", status="4xx", path="/noth*")
    assert repr(request) == "<404 GET network /nothing?a=1  network.info.prefix: no endpoint at /nothing>"
    assert assay_sim.why() == [*request.why]
    assert request.response.body.json()["status"] == "error"
    connection = http.client.HTTPConnection(assay_sim.network.url.removeprefix("http://"))
    for body in [b"\xff\xfe", b" " * 100_000]:
        connection.request("POST", "/nothing", body)
        connection.getresponse().read()
    connection.close()
    binary, long = assay_sim.requests(method="POST")
    assert (binary.request.body.content, binary.request.body.length) == (b"\xff\xfe", 2)
    assert (len(long.request.body.content), long.request.body.length) == (65536, 100_000)
    with pytest.raises(SimulatorError, match="keeps 65536 of the 100000 bytes"):
        long.request.body.json()


def test_actions_return_their_results(assay_sim):
    key = assay_sim.action("gateway.key", state="revoked")["key"]
    with pytest.raises(openai.AuthenticationError):
        chat(assay_sim, key)
    assert assay_sim.action("gateway.server", site="server-b", up=False, at="10m")["at"] == assay_sim.clock.now() + 600_000
    assay_sim.clock.advance("10m")
    assert assay_sim.control("GET", "actions")[0]["outcome"] == "performed"


def test_errors_are_those_of_the_control_api(assay_sim):
    for call, says in {
        lambda: assay_sim.fault("gateway.server-dwn"): "did you mean gateway.server-down?",
        lambda: assay_sim.fault("gateway.server-down", {"sever": "server-a"}): "faults[0].where.sever: unknown key",
        lambda: assay_sim.deviate("gateway.chat.bdy"): "gateway.chat.body",
        lambda: assay_sim.vary("wire.prse"): "did you mean wire.prose?",
        lambda: assay_sim.limit("drop.drops-an-hour", 1): "drops_per_hour",
        lambda: assay_sim.limit("drop", 1): "limits.drop",
        lambda: assay_sim.action("gateway.key", stat="valid"): "did you mean state?",
        lambda: assay_sim.requests(site="gatewy"): "did you mean gateway?",
        lambda: assay_sim.clock.advance("1x"): "is not a duration",
        lambda: assay_sim.drop: "drop is not started",
    }.items():
        with pytest.raises(SimulatorError) as raised:
            call()
        assert says in str(raised.value)
        assert raised.value.status in (400, None)


def test_the_publishing_exchange_follows_the_clock_of_this_machine(tmp_path):
    with Simulator(only=["publish"], clock="real", limits={"publish.requests-per-window": 99}) as sim:
        sim.clock.advance("1h")
        sim.reset()
        assert abs(sim.clock.now() - time.time() * 1000) < 60_000
        publish = sim.publish
        (tmp_path / "key").write_text(publish.key)
        target = ["--url", publish.url, "--chain", publish.chain_url, "--domain", publish.domains[-1]]
        command = [program.find(), "publish", *target, "--cid", "bafyexample", "--key-file", tmp_path / "key"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        assert [request.status for request in sim.requests(site="publish", method="POST")] == [200, 200]


def test_options_reach_the_program(tmp_path):
    scenario = tmp_path / "scenario.toml"
    scenario.write_text('[[fault]]\nfault = "drop.busy"\n')
    options = {"variations": ["drop.status-201"], "deviations": ["drop.response.expires-at/seconds"], "options": ["--cors", "http://app.test"]}
    with Simulator(only=["drop", "metadata"], epoch="2027-01-01T00:00:00Z", clock="manual", scenario=scenario, **options) as sim:
        assert sim.clock.now() == 1_798_761_600_000
        assert sim.faults.list()[0]["fault"] == "drop.busy"
        assert (sim.variations.list(), sim.deviations.list()) == (options["variations"], options["deviations"])
        request = urllib.request.Request(sim.drop.url, headers={"origin": "http://app.test"})
        with pytest.raises(urllib.error.HTTPError) as answered:
            urllib.request.urlopen(request)
        assert answered.value.headers["access-control-allow-origin"] == "http://app.test"
        assert sim.metadata.contracts and sim.env["ASSAY_DROP_URL"] == sim.drop.url
        assert sim.control("GET", "ca").startswith("-----BEGIN CERTIFICATE-----")


def test_a_start_that_fails_says_why(tmp_path, assay_sim, monkeypatch):
    port = assay_sim.control_url.split(":")[2].split("/")[0]
    silent = tmp_path / "silent"
    silent.write_text("#!/bin/sh\nexec sleep 600\n")
    silent.chmod(0o755)
    for options, says in [
        ({"only": ["gatway"]}, "known services: gateway, metadata"),
        ({"deviations": ["nope"]}, 'unknown requirement "nope"'),
        ({"options": ["--colour"]}, "unexpected argument '--colour'"),
        ({"options": ["--port", f"drop={port}"]}, f"port {port} (drop): Address already in use"),
        ({"scenario": "none.toml"}, "none.toml: No such file"),
        ({"executable": "/none"}, "/none does not start: No such file or directory"),
        ({"executable": silent, "timeout": 0.1}, "not ready after 0.1 seconds"),
    ]:
        with pytest.raises(SimulatorError) as raised:
            Simulator(**options)
        assert says in str(raised.value)
    monkeypatch.setattr(program, "places", lambda: [tmp_path / "assay"])
    with pytest.raises(SimulatorError, match="is missing; it is not at .*ASSAY_PROGRAM"):
        Simulator()


def test_calls_after_the_end_say_how_it_ended():
    sim = Simulator(only=["drop"])
    sim._process.kill()
    sim._process.wait()
    with pytest.raises(SimulatorError, match="no response .* ended with exit code -9"):
        sim.reset()
    sim.stop()
    sim.stop()
    with pytest.raises(SimulatorError, match="the simulator was stopped"):
        sim.reset()


START = "import os, signal, sys; from assay_conformance import Simulator; sim = Simulator(only=['drop']); print(sim.control_url, flush=True)"


@pytest.mark.parametrize(
    "end",
    [
        "os.kill(os.getpid(), signal.SIGKILL)",
        "os.kill(os.getpid(), signal.SIGTERM)",
        "raise SystemExit(3)",
        "del sim",
        # A fork does not stop the simulator of its parent.
        "os.fork() or sys.exit(); os.wait(); print(sim.clock.now())",
    ],
)
def test_the_program_ends_with_the_process_that_started_it(end):
    ran = subprocess.run([sys.executable, "-W", "error", "-c", f"{START}\n{end}"], capture_output=True, text=True)
    url, *rest = ran.stdout.split()
    if "fork" in end:
        assert len(rest) == 1, ran.stderr
    else:
        assert (ran.stderr, rest) == ("", [])
    wait_until(lambda: not answers(int(url.split(":")[2].split("/")[0])))


def test_a_failed_test_shows_the_requests(pytester):
    pytester.makepyfile("import urllib.request\n\ndef test_it(assay_sim):\n    urllib.request.urlopen(assay_sim.network.url + '/nothing')\n")
    pytester.makeconftest("")
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.stdout.fnmatch_lines(["*Requests that assay_sim received*", "<404 GET network /nothing  network.info.prefix: *"])
    assert result.ret == 1


def test_the_arguments_of_the_container_are_valid(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    # The other sites take the next ports, which may be in use.
    ports = [word for site in ["gateway", "server-a", "server-b", "server-c", "enclave"] for word in ("--port", f"{site}=0")]
    (tmp_path / "token").write_text("my-token")
    arguments = SIM.replace(":4100", f":{port}").replace("/tmp/token", str(tmp_path / "token")).split()
    child = subprocess.Popen([program.find(), *arguments, *ports, "--quiet"], stdout=subprocess.PIPE)
    try:
        about = json.loads(child.stdout.readline())
        assert about["control"] == f"http://127.0.0.1:{port}/_sim/v1"
        assert status(f"http://127.0.0.1:{port}/healthz") == 200
        assert [status(about["control"] + "/clock"), status(about["control"] + "/clock", authorization="Bearer my-token")] == [401, 200]
    finally:
        child.terminate()
        child.communicate()
