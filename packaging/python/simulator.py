"""The simulator for tests: it starts the program on free ports of loopback, and speaks to its control API."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import tempfile
import time
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Iterable, List, Mapping, Optional, Union
from urllib.parse import urlencode, urlsplit

from . import program

# Milliseconds, or a string such as "90s" or "1h30m".
Duration = Union[int, str]
File = Union[str, "os.PathLike[str]"]

# How long the program has to end after SIGTERM, and the control API to respond: an advance over many timers takes a while.
STOP_SECONDS, RESPONSE_SECONDS = 5, 120
# Without a limit, the control API returns at most 100 requests.
ALL_REQUESTS = 1_000_000
# A shell that kills the program when its standard input ends. It ends with this process, also after SIGKILL.
GUARD = 'read -r _; kill -KILL "$0"'


class SimulatorError(RuntimeError):
    """The message of the control API, or why the simulator does not run. `status` is that of the control API's response."""

    def __init__(self, message: str, status: Optional[int] = None) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Violation:
    """A rule that a request violated, and what was seen. `accepted` is true if a deviation switched the rule off."""

    exchange: int
    requirement: str
    why: str
    accepted: bool


@dataclass(frozen=True)
class Body:
    """`content` is the first 64 KiB of the body, and empty if the body is secret. `length` is the length of the whole."""

    content: bytes
    length: int

    @property
    def text(self) -> str:
        return self.content.decode(errors="replace")

    def json(self) -> Any:
        if len(self.content) < self.length:
            raise SimulatorError(f"the simulator keeps {len(self.content)} of the {self.length} bytes: use `content`")
        return json.loads(self.content)


@dataclass(frozen=True)
class Part:
    """Headers and body of a request or of a response. The names of headers are in lower case."""

    headers: Mapping[str, str]
    body: Body


@dataclass(frozen=True, repr=False)
class Received:
    """A request that the simulator has received, and its response. `status` is None if there was no response."""

    exchange: int
    at: int
    ms: int
    site: str
    peer: str
    method: str
    target: str
    status: Optional[int]
    ended: Optional[str]
    request: Part
    response: Part
    why: tuple[Violation, ...]

    def __repr__(self) -> str:
        rules = "".join(f"  {one.requirement}: {one.why}" for one in self.why)
        return f"<{self.status or '---'} {self.method} {self.site} {self.target}{rules}>"


@dataclass(frozen=True)
class Site:
    url: str


@dataclass(frozen=True)
class Gateway(Site):
    key: str
    models: tuple[str, ...]


@dataclass(frozen=True)
class Metadata(Site):
    contracts: tuple[str, ...]


@dataclass(frozen=True)
class Publish(Site):
    chain_url: str
    key: str
    domains: tuple[str, ...]


class Clock:
    """The clock of the world. Times are milliseconds since 1970."""

    def __init__(self, sim: Simulator) -> None:
        self._sim = sim

    def now(self) -> int:
        return int(self._sim.control("GET", "clock")["now"])

    def advance(self, by: Duration) -> int:
        """Moves time forward, and returns the new time."""
        return int(self._sim.control("POST", "clock", {"advance": by})["now"])


class Active:
    """The active faults, deviations or variations."""

    def __init__(self, sim: Simulator, kind: str) -> None:
        self._sim, self._kind = sim, kind

    def list(self) -> List[Any]:
        return list(self._sim.control("GET", self._kind))

    def clear(self) -> None:
        self._replace([])

    def _replace(self, entries: List[Any]) -> List[Any]:
        return list(self._sim.control("PUT", self._kind, entries))

    def _add(self, entry: Any) -> Added:
        entries = self._replace([*self.list(), entry])
        # The control API returns an object with more members, and sorts strings.
        return Added(self, entry if isinstance(entry, str) else entries[-1])


class Added:
    """An added fault, deviation or variation. The end of its `with` block removes it."""

    def __init__(self, active: Active, entry: Any) -> None:
        self._active, self._entry = active, _without_counts(entry)

    def remove(self) -> None:
        entries = self._active.list()
        same = [number for number, one in enumerate(entries) if _without_counts(one) == self._entry]
        if same:
            del entries[same[-1]]
            self._active._replace(entries)

    def __enter__(self) -> Added:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


class Simulator:
    """A running `assay sim`. Faults, limits, actions and so on have the names of its control API.

    `clock` is "auto" (time jumps to what a request waits for), "manual" or "real". `epoch` is the start time of the world, such as
    "2026-01-01T00:00:00Z". `scenario` is a file. `limits` are such as {"publish.requests-per-window": 1000}. `options` are further
    options of `assay sim`. `executable` is the program; without it, the variable ASSAY_PROGRAM names it, or it is that of this package.
    """

    def __init__(
        self,
        *,
        seed: int = 1,
        only: Iterable[str] = (),
        clock: str = "auto",
        epoch: Optional[str] = None,
        scenario: Optional[File] = None,
        limits: Mapping[str, Duration] = {},
        variations: Iterable[str] = (),
        deviations: Iterable[str] = (),
        options: Iterable[str] = (),
        executable: Optional[File] = None,
        timeout: float = 30,
    ) -> None:
        single = {"--seed": seed, "--clock": clock, "--only": ",".join(only), "--epoch": epoch, "--scenario": scenario}
        words = [(name, str(value)) for name, value in single.items() if value not in (None, "")]
        words += [("--limit", f"{name}={value}") for name, value in limits.items()]
        words += [("--variation", name) for name in variations] + [("--deviate", name) for name in deviations]
        self._start([*(word for pair in words for word in pair), *options], executable, timeout)
        self._follows_wall_clock = clock == "real" and not epoch
        self.clock = Clock(self)
        self.faults, self.deviations, self.variations = (Active(self, kind) for kind in ("faults", "deviations", "variations"))

    def _start(self, options: List[str], executable: Optional[File], timeout: float) -> None:
        try:
            executable = executable or os.environ.get("ASSAY_PROGRAM") or program.find()
        except FileNotFoundError as missing:
            raise SimulatorError(f"{missing}. Or name another program in the variable ASSAY_PROGRAM") from None
        with tempfile.TemporaryDirectory() as folder:
            ready, environment = Path(folder, "ready.json"), Path(folder, "clients.env")
            command = [os.fspath(executable), "sim", "--quiet", "--listen", "127.0.0.1:0", *options]
            command += ["--ready-file", str(ready), "--env-file", str(environment)]
            self._output = tempfile.TemporaryFile("a+b")
            try:
                # In its own session, the program does not get the Ctrl-C of a terminal: fixtures may still need it.
                self._process = subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self._output, start_new_session=True
                )
            except OSError as error:
                self._output.close()
                raise SimulatorError(f"{executable} does not start: {error.strerror}: name the program of this machine") from None
            guard = subprocess.Popen(
                ["sh", "-c", GUARD, str(self._process.pid)], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
            )
            # It is also called when the interpreter ends.
            self._finalizer = weakref.finalize(self, _stop, self._process, guard, self._output, os.getpid())
            deadline = time.monotonic() + timeout
            while not ready.exists():
                late = time.monotonic() > deadline
                if late or self._process.poll() is not None:
                    why = f"not ready after {timeout} seconds: set a longer `timeout`" if late else self._ended()
                    self.stop()
                    raise SimulatorError(f"assay sim {' '.join(options)}: {why}")
                time.sleep(0.005)
            self._about = json.loads(ready.read_text())
            self.env = dict(line.split("=", 1) for line in environment.read_text().splitlines())
        self.urls: Mapping[str, str] = self._about["sites"]
        self.control_url: str = self._about["control"]

    def _state(self) -> str:
        if self._output.closed:
            return "the simulator was stopped"
        try:
            # Its connections may end before it does.
            self._process.wait(0.2)
        except subprocess.TimeoutExpired:
            return "the program still runs"
        return self._ended()

    def _ended(self) -> str:
        self._output.seek(0)
        printed = self._output.read().decode(errors="replace").strip()
        return f"the program ended with exit code {self._process.returncode}. It printed:\n{printed or '(nothing)'}"

    def _url(self, site: str) -> str:
        if site not in self.urls:
            raise SimulatorError(f"{site} is not started. The sites are {', '.join(sorted(self.urls))}: see the option `only`")
        return self.urls[site]

    def _shown(self, service: str, what: str) -> List[str]:
        return list(self._about["services"][service][what])

    @property
    def gateway(self) -> Gateway:
        url, (models,) = self._url("gateway"), self._shown("gateway", "models")
        return Gateway(url, self._shown("gateway", "key")[0], tuple(models.split()))

    @property
    def metadata(self) -> Metadata:
        return Metadata(self._url("metadata"), tuple(self._shown("metadata", "contract")))

    @property
    def network(self) -> Site:
        return Site(self._url("network"))

    @property
    def hosting(self) -> Site:
        return Site(self._url("hosting"))

    @property
    def publish(self) -> Publish:
        """The exchange, a key, and the domains that are bound to the key now."""
        url, (key,), (owner,) = self._url("publish"), self._shown("publish", "key"), self._shown("publish", "owner")
        bindings = self.control("GET", "state?service=publish")["publish"]["bindings"]
        domains = tuple(domain for domain, binding in bindings.items() if binding["key"] == owner)
        return Publish(url, self._url("chain"), key, domains)

    @property
    def drop(self) -> Site:
        return Site(self._url("drop"))

    def fault(
        self,
        fault: str,
        where: Optional[Mapping[str, str]] = None,
        *,
        nth: Optional[int] = None,
        times: Optional[int] = None,
        from_: Optional[Duration] = None,
        until: Optional[Duration] = None,
    ) -> Added:
        """Adds a fault. `from_` and `until` are milliseconds since 1970, or durations from now as strings."""
        members = {"fault": fault, "where": where, "nth": nth, "times": times, "from": from_, "until": until}
        return self.faults._add(_given(members))

    def deviate(self, id: str, at: Optional[Mapping[str, str]] = None) -> Added:
        """Breaks a requirement, everywhere or at a place such as {"endpoint": "prepare"}."""
        return self.deviations._add({"id": id, "at": at} if at else id)

    def vary(self, variation: str) -> Added:
        """Applies an allowed variation."""
        return self.variations._add(variation)

    def limit(self, name: str, value: Duration) -> None:
        """Sets a limit, such as `limit("publish.requests-per-window", 1000)`."""
        service, _, limit = name.partition(".")
        self.control("PUT", "limits", {service: {limit.replace("-", "_"): value}})

    def action(self, action: str, /, *, at: Optional[Duration] = None, **arguments: Any) -> Any:
        """Performs an action and returns its result. With `at`, the action is performed at that time."""
        return self.control("POST", "actions", _given({"action": action, "arguments": arguments, "at": at}))

    def requests(
        self,
        *,
        site: Optional[str] = None,
        path: Optional[str] = None,
        method: Optional[str] = None,
        status: Union[int, str, None] = None,
        rule: Optional[str] = None,
        after: Optional[int] = None,
    ) -> List[Received]:
        """The requests since the start or the last reset, oldest first: those for which all of this holds.

        `path` may end with `*`. `status` may be "4xx". `rule` is how the name of a violated rule begins. `after` is the number of an
        exchange. The simulator keeps the latest 512 events: about 100 requests, or fewer with long streams.
        """
        wanted = {"site": site, "path": path, "method": method, "status": status, "rule": rule, "after": after}
        query = urlencode({**_given(wanted), "limit": ALL_REQUESTS})
        return [_received(one) for one in self.control("GET", f"requests?{query}")["requests"]]

    def why(self) -> List[Violation]:
        """Why requests were rejected, oldest first."""
        return [_violation(line["exchange"], line) for line in self.control("GET", "log")]

    def reset(self) -> None:
        """Restores the snapshot `start`: the world as the simulator began with it."""
        now = self.control("POST", "restore", {"snapshot": "start"})["now"]
        if self._follows_wall_clock:
            self.clock.advance(max(0, int(time.time() * 1000) - now))

    def control(self, method: str, path: str, body: Any = None) -> Any:
        """Sends a request to the control API, such as `control("POST", "snapshot", {})`, and returns its response."""
        url = urlsplit(f"{self.control_url}/{path}")
        # `urllib.request` would use the proxy that the environment names.
        connection = http.client.HTTPConnection(url.netloc, timeout=RESPONSE_SECONDS)
        try:
            target = url._replace(scheme="", netloc="").geturl()
            sent = () if body is None else (json.dumps(body), {"content-type": "application/json"})
            connection.request(method, target, *sent)
            response = connection.getresponse()
            text = response.read().decode()
        except (OSError, http.client.HTTPException) as error:
            raise SimulatorError(f"{method} {url.geturl()}: no response ({error}): {self._state()}") from error
        finally:
            connection.close()
        value = json.loads(text) if response.headers.get_content_type() == "application/json" else text
        if response.status >= 400:
            raise SimulatorError(value["error"] if isinstance(value, dict) else text, response.status)
        return value

    def stop(self) -> None:
        """Stops the program. The end of a `with` block and the end of the process do so, too."""
        self._finalizer()

    def __enter__(self) -> Simulator:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def _stop(process: subprocess.Popen[bytes], guard: subprocess.Popen[bytes], output: IO[bytes], starter: int) -> None:
    # A fork of the process that started the program calls this, too.
    if os.getpid() != starter:
        return
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    guard.kill()
    guard.communicate()
    output.close()


def _given(members: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}


def _without_counts(entry: Any) -> Any:
    return entry if isinstance(entry, str) else {**entry, "matched": None, "receipts": None}


def _violation(exchange: int, line: Any) -> Violation:
    return Violation(exchange, line["requirement"], line["why"], line["accepted"])


def _part(part: Any) -> Part:
    headers: dict[str, str] = {}
    for name, value in part["headers"]:
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    body = part["body"]
    content = bytes.fromhex(body["hex"]) if "hex" in body else body.get("text", "").encode()
    return Part(headers, Body(content, body["bytes"]))


def _received(one: Any) -> Received:
    same = {name: one[name] for name in ("exchange", "at", "ms", "site", "peer", "method", "target", "status", "ended")}
    why = tuple(_violation(one["exchange"], line) for line in one["why"])
    return Received(**same, request=_part(one["request"]), response=_part(one["response"]), why=why)
