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
from types import TracebackType
from typing import IO, Any, Iterable, Mapping, Optional, Union
from urllib.parse import urlencode, urlsplit

from . import program

# How long the program has to end after SIGTERM.
STOP_SECONDS = 5
# An advance over many timers takes a while.
ANSWER_SECONDS = 120
# The API returns at most 100 requests without a limit.
ALL = 1_000_000
# It ends when its input does: when this process has ended, even by SIGKILL.
GUARD = 'read -r _; kill -KILL "$0"'


class SimulatorError(RuntimeError):
    """What the control API rejected, or why the simulator does not run."""

    def __init__(self, message: str, status: Optional[int] = None) -> None:
        super().__init__(message)
        # The status of the control API's response, if there was one.
        self.status = status


@dataclass(frozen=True)
class Violation:
    """A rule that a request violated, and what was seen. `accepted` says that a deviation switched the rule off."""

    exchange: int
    requirement: str
    why: str
    accepted: bool


@dataclass(frozen=True)
class Body:
    """A body. Of a long one `content` is the first 64 KiB, of a secret one it is empty. `length` is that of the whole."""

    content: bytes
    length: int

    @property
    def text(self) -> str:
        return self.content.decode(errors="replace")

    def json(self) -> Any:
        if len(self.content) < self.length:
            raise SimulatorError(f"the simulator kept {len(self.content)} of {self.length} bytes: compare `content`")
        return json.loads(self.content)


@dataclass(frozen=True)
class Part:
    """Headers and body of a request or of a response. Names of headers are in lower case."""

    headers: Mapping[str, str]
    body: Body


@dataclass(frozen=True, repr=False)
class Received:
    """A request that the simulator has received, and its response. Without a response, `status` is None."""

    exchange: int
    at: int
    ms: int
    site: str
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
    domains: tuple[str, ...]
    key: str


class Active:
    """The active faults, deviations or variations."""

    def __init__(self, sim: Simulator, kind: str) -> None:
        self._sim, self._kind = sim, kind

    def list(self) -> list[Any]:
        entries: list[Any] = self._sim.control("GET", self._kind)
        return entries

    def clear(self) -> None:
        self._sim.control("PUT", self._kind, [])

    def _add(self, entry: Any) -> Added:
        entries = self._sim.control("PUT", self._kind, [*self.list(), entry])
        # Variations are strings, in the order of their names. The others stay in the order in which they were added.
        return Added(self, entry if isinstance(entry, str) else entries[-1])


class Added:
    """A fault, deviation or variation that was added. At the end of its `with` block it is removed."""

    def __init__(self, active: Active, entry: Any) -> None:
        self._active, self._entry = active, _without_counters(entry)

    def remove(self) -> None:
        entries = self._active.list()
        for index in reversed(range(len(entries))):
            if _without_counters(entries[index]) == self._entry:
                del entries[index]
                self._active._sim.control("PUT", self._active._kind, entries)
                return

    def __enter__(self) -> Added:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


class Clock:
    """The clock of the world. Durations are milliseconds, or strings such as "90s" and "1h30m"."""

    def __init__(self, sim: Simulator) -> None:
        self._sim = sim

    def now(self) -> int:
        """The time of the world, in milliseconds since 1970."""
        now: int = self._sim.control("GET", "clock")["now"]
        return now

    def advance(self, by: Union[int, str]) -> int:
        """Moves time forward, and returns the new time."""
        now: int = self._sim.control("POST", "clock", {"advance": by})["now"]
        return now


class Simulator:
    """A running `assay sim`. The names of faults, limits, actions and so on are those of its control API.

    `clock` is "auto" (time jumps to what a request waits for), "manual" or "real". `epoch` is the start time of the world, as in
    "2026-01-01T00:00:00Z". `limits` are such as {"publish.requests-per-window": 1000}. `options` are further options of
    `assay sim`. `executable` is the program; without it, it is what the variable ASSAY_PROGRAM names, or the program of this package.
    """

    def __init__(
        self,
        *,
        seed: int = 1,
        only: Iterable[str] = (),
        clock: str = "auto",
        epoch: Optional[str] = None,
        scenario: Union[str, os.PathLike[str], None] = None,
        limits: Optional[Mapping[str, Union[int, str]]] = None,
        variations: Iterable[str] = (),
        deviations: Iterable[str] = (),
        options: Iterable[str] = (),
        executable: Union[str, os.PathLike[str], None] = None,
        timeout: float = 30,
    ) -> None:
        arguments = ["sim", "--quiet", "--listen", "127.0.0.1:0", "--seed", str(seed), "--clock", clock]
        named = {"--only": ",".join(only), "--epoch": epoch, "--scenario": scenario}
        arguments += [word for name, value in named.items() if value for word in (name, os.fspath(value))]
        repeated = {
            "--limit": [f"{name}={value}" for name, value in (limits or {}).items()],
            "--variation": variations,
            "--deviate": deviations,
        }
        arguments += [word for name, values in repeated.items() for value in values for word in (name, value)]
        self._start([*arguments, *options], executable or os.environ.get("ASSAY_PROGRAM"), timeout)
        self._follows_this_machine = clock == "real" and not epoch
        self.clock = Clock(self)
        self.faults = Active(self, "faults")
        self.deviations = Active(self, "deviations")
        self.variations = Active(self, "variations")

    def _start(self, arguments: list[str], executable: Union[str, os.PathLike[str], None], timeout: float) -> None:
        try:
            executable = executable or program.find()
        except FileNotFoundError as missing:
            raise SimulatorError(f"{missing}, or name a program in the variable ASSAY_PROGRAM") from None
        self._output = tempfile.TemporaryFile("a+b")
        with tempfile.TemporaryDirectory() as folder:
            ready, environment = Path(folder, "ready.json"), Path(folder, "clients.env")
            command = [os.fspath(executable), *arguments, "--ready-file", str(ready), "--env-file", str(environment)]
            streams: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": self._output, "stderr": subprocess.STDOUT}
            try:
                # In a session of its own, the program does not get Ctrl-C: fixtures that end after it still reach it.
                self._process = subprocess.Popen(command, start_new_session=True, **streams)
            except OSError as error:
                raise SimulatorError(f"{executable} does not start: {error.strerror}: name a program for this machine") from None
            streams = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            guard = subprocess.Popen(["sh", "-c", GUARD, str(self._process.pid)], start_new_session=True, **streams)
            # It also runs when the interpreter ends.
            self._finalizer = weakref.finalize(self, _stop, self._process, guard, os.getpid())
            deadline = time.monotonic() + timeout
            while not ready.exists():
                ended, late = self._process.poll() is not None, time.monotonic() > deadline
                if ended or late:
                    what = self._ended() if ended else f"is not ready after {timeout} seconds; set a longer `timeout`{self._printed()}"
                    self.stop()
                    raise SimulatorError(f"assay {' '.join(arguments)}: {what}")
                time.sleep(0.005)
            self._about = json.loads(ready.read_text())
            lines = environment.read_text().splitlines()
        self.env: dict[str, str] = dict(line.split("=", 1) for line in lines)
        self.urls: dict[str, str] = self._about["sites"]
        self.control_url: str = self._about["control"]

    def _ended(self) -> str:
        return f"the program ended with exit code {self._process.poll()}{self._printed()}"

    def _printed(self) -> str:
        self._output.seek(0)
        printed = self._output.read().decode(errors="replace").strip()
        return f":\n{printed}" if printed else ""

    def _site(self, site: str) -> str:
        if site not in self.urls:
            raise SimulatorError(f"{site} is not started: the simulator has {', '.join(sorted(self.urls))}; see the option `only`")
        return self.urls[site]

    def _shown(self, service: str, what: str) -> list[str]:
        values: list[str] = self._about["services"][service][what]
        return values

    @property
    def gateway(self) -> Gateway:
        url = self._site("gateway")
        models = " ".join(self._shown("gateway", "models")).split()
        return Gateway(url, self._shown("gateway", "key")[0], tuple(models))

    @property
    def metadata(self) -> Metadata:
        return Metadata(self._site("metadata"), tuple(self._shown("metadata", "contract")))

    @property
    def network(self) -> Site:
        return Site(self._site("network"))

    @property
    def hosting(self) -> Site:
        return Site(self._site("hosting"))

    @property
    def publish(self) -> Publish:
        """`domains` are those that `key` may publish now."""
        url, owner = self._site("publish"), self._shown("publish", "owner")[0]
        bindings = self.control("GET", "state?service=publish")["publish"]["bindings"]
        domains = tuple(domain for domain, binding in bindings.items() if binding["key"] == owner)
        return Publish(url, self._site("chain"), domains, self._shown("publish", "key")[0])

    @property
    def drop(self) -> Site:
        return Site(self._site("drop"))

    def fault(
        self,
        fault: str,
        where: Optional[Mapping[str, str]] = None,
        *,
        nth: Optional[int] = None,
        times: Optional[int] = None,
        from_: Union[int, str, None] = None,
        until: Union[int, str, None] = None,
    ) -> Added:
        """Adds a fault. `from_` and `until` are durations from now, or milliseconds since 1970."""
        members = {"fault": fault, "where": where, "nth": nth, "times": times, "from": from_, "until": until}
        return self.faults._add({name: value for name, value in members.items() if value is not None})

    def deviate(self, id: str, at: Optional[Mapping[str, str]] = None) -> Added:
        """Breaks a requirement, everywhere or at a place such as {"endpoint": "prepare"}."""
        return self.deviations._add({"id": id, "at": at} if at else id)

    def vary(self, variation: str) -> Added:
        """Applies an allowed variation."""
        return self.variations._add(variation)

    def limit(self, name: str, value: Union[int, str]) -> None:
        """Sets a limit, such as `limit("publish.requests-per-window", 1000)`."""
        service, _, name = name.partition(".")
        self.control("PUT", "limits", {service: {name.replace("-", "_"): value}})

    def action(self, action: str, /, *, at: Union[int, str, None] = None, **arguments: Any) -> Any:
        """Performs an action of the operator, now or at a later time, and returns its result."""
        body = {"action": action, "arguments": arguments}
        return self.control("POST", "actions", body if at is None else {**body, "at": at})

    def requests(
        self,
        *,
        site: Optional[str] = None,
        path: Optional[str] = None,
        method: Optional[str] = None,
        status: Union[int, str, None] = None,
        rule: Optional[str] = None,
        after: Optional[int] = None,
    ) -> list[Received]:
        """The requests received since the start or the last reset, oldest first. `path` may end with `*`, `status` may be "4xx",
        `rule` is how the name of a violated rule begins, `after` is the number of an exchange. The simulator keeps the latest
        events: about a hundred requests, fewer with long streams.
        """
        wanted = {"site": site, "path": path, "method": method, "status": status, "rule": rule, "after": after, "limit": ALL}
        query = urlencode({name: value for name, value in wanted.items() if value is not None})
        return [_received(one) for one in self.control("GET", f"requests?{query}")["requests"]]

    def why(self) -> list[Violation]:
        """Why requests were rejected, oldest first."""
        return [_violation(line["exchange"], line) for line in self.control("GET", "log")]

    def reset(self) -> None:
        """Restores the snapshot `start`: the world as the simulator began with it."""
        now = self.control("POST", "restore", {"snapshot": "start"})["now"]
        if self._follows_this_machine:
            self.clock.advance(max(0, int(time.time() * 1000) - now))

    def control(self, method: str, path: str, body: Any = None) -> Any:
        """Sends any request to the control API, such as `control("POST", "snapshot", {})`, and returns its response."""
        url = urlsplit(f"{self.control_url}/{path}")
        headers = {} if body is None else {"content-type": "application/json"}
        # Not `urllib.request`: it would take the proxy of the environment.
        connection = http.client.HTTPConnection(url.netloc, timeout=ANSWER_SECONDS)
        try:
            content = None if body is None else json.dumps(body)
            connection.request(method, url._replace(scheme="", netloc="").geturl(), content, headers)
            response = connection.getresponse()
            text = response.read().decode()
        except (OSError, http.client.HTTPException) as error:
            state = "the program still runs" if self._process.poll() is None else self._ended()
            raise SimulatorError(f"{method} {url.geturl()}: no response ({error}): {state}") from error
        finally:
            connection.close()
        is_json = response.headers.get_content_type() == "application/json"
        value = json.loads(text) if is_json else text
        if response.status >= 400:
            raise SimulatorError(value["error"] if is_json else text, response.status)
        return value

    def stop(self) -> None:
        """Stops the program. A second call does nothing."""
        self._finalizer()

    def __enter__(self) -> Simulator:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def _stop(process: subprocess.Popen[bytes], guard: subprocess.Popen[bytes], starter: int) -> None:
    # A fork of the process that started the program has this object, too.
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


def _without_counters(entry: Any) -> Any:
    if isinstance(entry, str):
        return entry
    return {name: value for name, value in entry.items() if name not in ("matched", "receipts")}


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
    same = {name: one[name] for name in ("exchange", "at", "ms", "site", "method", "target", "status", "ended")}
    why = tuple(_violation(one["exchange"], line) for line in one["why"])
    return Received(**same, request=_part(one["request"]), response=_part(one["response"]), why=why)
