"""A small inference gateway with two servers behind it, and a token metadata service, written from document 1.

A case is a subclass that changes one fact. Each method is one step that a case may replace.
"""

import asyncio
import json
import sys
from urllib.parse import unquote

# An id may have any number of digits.
sys.set_int_max_str_digits(0)

KEY, SECOND_KEY, REVOKED_KEY = "sk-case-7Qm2hT9xLw4Zr8", "sk-case-Bn5vK1cYp3Dj6s", "sk-case-Rv0aGt2oHu9eXf"
PAYMENT = "eyJwYWlkIjoiY2FzZSJ9"
ANSWER = "Grüße aus Bergen 🌊, schreibt das kleine Modell."
CHAT, COMPLETIONS, RESPONSES, MESSAGES = "/v1/chat/completions", "/v1/completions", "/v1/responses", "/v1/messages"
INFERENCE = (CHAT, COMPLETIONS, RESPONSES, MESSAGES, "/completions")
EVENTS = "text/event-stream; charset=utf-8"
PAGE = b"<!doctype html><title>case</title>"


class Reply(Exception):
    """A response. A list as its body is sent in chunks: bytes, and pauses in seconds."""

    def __init__(self, status, body=b"", kind="application/json", headers=(), cut=False):
        self.status, self.kind, self.headers, self.cut = status, kind, list(headers), cut
        raw = isinstance(body, bytes) or isinstance(body, list) and body and isinstance(body[0], (bytes, float))
        self.body = body if raw else json.dumps(body, ensure_ascii=False).encode()


class Request:
    """A request at one of the sites `gateway`, `near`, `far` and `metadata`."""

    def __init__(self, site, method, target, headers, body):
        self.site, self.method, self.target, self.headers, self.body = site, method, target, headers, body
        self.path = target.split("?")[0]
        self.json = {}


class Service:
    payment_flow = False
    answer_seconds = 10
    always_calls = True
    # The servers of each model.
    models = {
        "bergen-text": ["near", "far"],
        "bergen-tools": ["near"],
        "bergen-vision": ["far"],
        "bergen-half": ["dead", "near"],
        "bergen-down": ["dead"],
        "bergen-broken": ["far"],
        "bergen-image": ["far"],
        "bergen-sealed": ["sealed"],
    }
    cid, uri, template = "bafycaseone", "https://tokens.case.example/c/1", "bafycasetwo"
    tokens = {"1", "2", "9007199254740993"}
    # The tokens that the profile names. The last one has overrides.
    named = ["1", "9007199254740993", "2"]

    def __init__(self):
        self.urls = {"dead": "http://127.0.0.1:1"}
        self.spent = 0
        self.calls = 0
        self.closed = False

    # The gateway and its servers.

    def gateway(self, request):
        at_gateway = request.site == "gateway"
        if request.path == "/svc/auth/check" and at_gateway:
            self.authenticate(request)
            return Reply(200, {"valid": True})
        if request.path == "/svc/models" and at_gateway:
            return Reply(200, self.discovery())
        if request.path == "/v1/models":
            return Reply(200, self.model_list())
        if request.path == "/usage":
            return Reply(200, {"spent": self.spent})
        if request.path not in INFERENCE:
            return self.refuse(404, "no such path", request)
        if request.method != "POST":
            return self.refuse(405, "POST only", request)
        self.authenticate(request)
        request.json = body = self.read(request)
        self.validate(request, body)
        if body["model"] not in self.models:
            return self.unknown_model(request)
        if at_gateway and set(self.models[body["model"]]) == {"dead"}:
            return self.refuse(503, "every server has failed", request)
        if SECOND_KEY in request.headers.get("authorization", ""):
            self.spent += 7
        return self.infer(request, body)

    def refuse(self, status, why, request):
        return Reply(status, {"detail": why})

    def unknown_model(self, request):
        return self.refuse(404, "unknown model", request)

    def authenticate(self, request):
        header = request.headers.get("authorization", "")
        scheme, _, key = header.partition(" ")
        if header and (scheme.lower() != "bearer" or key not in (KEY, SECOND_KEY)):
            raise self.refuse(401, "invalid key", request)
        if header:
            return
        if not self.payment_flow or request.path == "/svc/auth/check":
            raise self.refuse(401, "no key", request)
        self.pay(request, request.headers.get("x-payment"))

    def pay(self, request, payment):
        if payment != PAYMENT:
            raise self.refuse(402, "payment required", request)

    def discovery(self):
        def entry(server):
            return "tee://case0hash" if server == "sealed" else self.urls[server]

        return {model: {"servers": [entry(server) for server in servers]} for model, servers in self.models.items()}

    def model_list(self):
        return {"object": "list", "data": [{"id": model, "object": "model"} for model in self.models]}

    def read(self, request):
        try:
            body = json.loads(request.body.decode())
        except (ValueError, RecursionError):
            raise self.refuse(422, "not JSON", request) from None
        if not isinstance(body, dict):
            raise self.refuse(422, "not an object", request)
        return body

    def validate(self, request, body):
        def need(is_right, what):
            if not is_right:
                raise self.refuse(422, what, request)

        need(isinstance(body.get("model"), str), "model")
        if request.path == MESSAGES or "max_tokens" in body:
            need(type(body.get("max_tokens")) is int, "max_tokens")
        if request.path in (CHAT, MESSAGES):
            need(isinstance(body.get("messages"), list), "messages")
            for message in body["messages"]:
                need(isinstance(message, dict) and isinstance(message.get("role"), str), "message")
                content, role = message.get("content"), message["role"]
                need(isinstance(content, (str, list)) or (content is None and role == "assistant"), "content")
                need(role != "tool" or isinstance(message.get("tool_call_id"), str), "tool_call_id")
                for part in content if isinstance(content, list) else []:
                    need(isinstance(part, dict) and part.get("type") in ("text", "image_url", "tool_result"), "part")
                    if part["type"] == "text":
                        need(isinstance(part.get("text"), str), "text")
                    if part["type"] == "image_url":
                        image = part.get("image_url")
                        need(isinstance(image, dict) and isinstance(image.get("url"), str), "image_url")
                        self.look_at(request, image["url"])
        if request.path == CHAT:
            need(body.get("stream") in (None, True, False) and type(body.get("stream")) is not int, "stream")
            need(isinstance(body.get("tools"), (list, type(None))), "tools")
            for tool in body.get("tools") or []:
                need(isinstance(tool, dict) and tool.get("type") == "function", "tool")
                function = tool.get("function")
                need(isinstance(function, dict) and isinstance(function.get("name"), str), "function")
                need(isinstance(function.get("description", ""), str), "description")
                need(isinstance(function.get("parameters", {}), dict), "parameters")

    def look_at(self, request, url):
        """The URL of an image."""

    def infer(self, request, body):
        if request.path != CHAT:
            return Reply(200, self.other_reply(request, body))
        headers = [("Set-Cookie", "case_affinity=near; Path=/; HttpOnly")] if request.site == "gateway" else []
        if body.get("stream") is not True:
            return Reply(200, self.completion(body), headers=headers)
        events = self.events(body)
        if body["model"] == "bergen-broken":
            return self.fail_midway(events)
        return Reply(200, self.frames(events), self.stream_kind(), headers)

    def other_reply(self, request, body):
        if request.path == MESSAGES:
            text = {"type": "text", "text": ANSWER}
            return {"id": "msg_1", "type": "message", "role": "assistant", "model": body["model"], "content": [text]}
        if request.path == RESPONSES:
            text = {"type": "output_text", "text": ANSWER, "annotations": []}
            output = {"type": "message", "id": "m1", "role": "assistant", "status": "completed", "content": [text]}
            return {"id": "resp_1", "object": "response", "status": "completed", "output": [output]}
        choice = {"index": 0, "text": ANSWER, "finish_reason": "stop"}
        return {"id": "cmpl-1", "object": "text_completion", "model": body["model"], "choices": [choice]}

    # What the model writes.

    def turn(self, body):
        """The text of the answer, or a call of each declared tool that the last message names."""
        last = (body["messages"] or [{"role": "user"}])[-1]
        asked = last.get("content") or ""
        if not isinstance(asked, str):
            asked = " ".join(part.get("text", "") for part in asked)
        if last["role"] == "tool":
            return f"The tool returned {asked}.", []
        functions = [tool["function"] for tool in body.get("tools") or []]
        calls = [self.call(function) for function in functions if function["name"] in asked]
        return (None, calls) if calls else (ANSWER, [])

    def call(self, function):
        self.calls += 1
        members = function.get("parameters", {}).get("properties", {})
        arguments = {name: member.get("enum", ["Bergen"])[0] for name, member in members.items()}
        function = {"name": function["name"], "arguments": json.dumps(arguments)}
        return {"id": self.call_id(function["name"]), "type": "function", "function": function}

    def call_id(self, name):
        return f"call_{self.calls}"

    def message(self, body):
        text, calls = self.turn(body)
        return {"role": "assistant", "content": text, **({"tool_calls": calls} if calls else {})}

    def completion(self, body):
        message = self.message(body)
        reason = "tool_calls" if message.get("tool_calls") else "stop"
        choice = {"index": 0, "message": message, "finish_reason": reason}
        return {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": body["model"], "choices": [choice]}

    def chunk(self, body, delta, reason=None):
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": body["model"], "choices": [choice]}

    def deltas(self, body):
        text, calls = self.turn(body)
        words = (text or "").replace(" ", " \0").split("\0")
        deltas = [{"role": "assistant", "content": "" if text else None}, *({"content": word} for word in words if word)]
        for n, call in enumerate(calls):
            deltas += self.pieces(n, call)
        return deltas

    def pieces(self, index, call):
        """The deltas of one call: its name, then its arguments in two parts."""
        name, arguments = call["function"]["name"], call["function"]["arguments"]
        first = {"index": index, "id": call["id"], "type": "function", "function": {"name": name, "arguments": ""}}
        parts = ({"index": index, "function": {"arguments": part}} for part in (arguments[:5], arguments[5:]))
        return [{"tool_calls": [piece]} for piece in (first, *parts)]

    def events(self, body):
        deltas = self.deltas(body)
        reason = "tool_calls" if any(delta.get("tool_calls") for delta in deltas) else "stop"
        return [*(self.chunk(body, delta) for delta in deltas), self.chunk(body, {}, reason)]

    def frame(self, event):
        return b"data: " + json.dumps(event, ensure_ascii=False).encode() + b"\n\n"

    def end(self):
        return [b"data: [DONE]\n\n"]

    def frames(self, events):
        return [*(self.frame(event) for event in events), *self.end()]

    def stream_kind(self):
        return EVENTS

    def fail_midway(self, events):
        return Reply(200, [*(self.frame(event) for event in events[:3]), *self.failure()], self.stream_kind())

    def failure(self):
        return [b'data: {"error": {"message": "the server died", "code": 502}}\n\n']

    # Token metadata.

    def metadata(self, request):
        if request.path == "/":
            return Reply(200, PAGE, "text/html")
        if request.path == "/openapi.json":
            return Reply(200, {"openapi": "3.1.0", "info": {"title": "case", "version": "0.1.0"}, "paths": {}})
        route = self.route(request.path[1:])
        if route is None:
            return self.unknown()
        contract, token, wants_overrides = route
        number = None if token is None else self.integer(token)
        if token is not None and number is None:
            return Reply(422, {"detail": [self.invalid(token)]})
        if contract == self.template and str(number) in ("None", "7"):
            body = self.template_contract() if token is None else [] if wants_overrides else self.token("7")
            return self.document(body)
        if contract not in (self.cid, self.uri) or token is not None and str(number) not in self.tokens:
            return self.unknown()
        if token is None:
            return self.document({"name": "Case", "symbol": "CASE", "collaborators": ["0x01"]})
        if wants_overrides:
            return self.document([{"name": "other"}] if str(number) == "2" else [])
        return self.document(self.token(str(number)))

    def route(self, path):
        """The contract, the token, and whether its overrides are asked for. The last double slash ends a URI."""
        head, slashes, rest = path.rpartition("//")
        if not slashes or not head or "/" in rest.removesuffix("/overrides"):
            head, _, rest = path.partition("/")
        wants_overrides = rest.endswith("/overrides")
        rest = rest.removesuffix("/overrides").removesuffix(".json")
        if not head or "/" in rest:
            return None
        return unquote(head), self.decode(rest) if rest else None, wants_overrides

    def decode(self, segment):
        return unquote(segment)

    def integer(self, text):
        digits = text.removeprefix("-")
        return int(text) if digits.isascii() and digits.isdigit() else None

    def invalid(self, token):
        return {"loc": ["path", "token_id"], "msg": "not an integer", "type": "int_parsing"}

    def unknown(self):
        return Reply(404, {"detail": "unknown"})

    def document(self, value):
        return Reply(200, value)

    def template_contract(self):
        token = {"name": "T {id}", "image": "ipfs://y", "tag": "{id}", "attributes": self.attributes()}
        return {"name": "Template", "default_token_template": token}

    def token(self, token):
        properties = {"source": "s", "mandatory": True, "allowed": ["a"], "fallback": {}}
        attributes = self.attributes()
        return {"name": f"Case {token}", "image": "ipfs://x", "attributes": attributes, "external_properties": [properties]}

    def attributes(self):
        level, colour = {"trait_type": "Level", "value": 5}, {"trait_type": "Colour", "value": "blue"}
        return [level, colour, {"trait_type": "Rare", "value": False}]

    # HTTP.

    def answer(self, request):
        try:
            return self.metadata(request) if request.site == "metadata" else self.gateway(request)
        except Reply as reply:
            return reply
        except Exception:
            return Reply(500, b"Internal Server Error", "text/plain")

    async def connection(self, site, reader, writer):
        try:
            while not self.closed:
                line, *rest = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                method, target, _ = line.split(" ", 2)
                headers = {name.strip().lower(): value.strip() for name, _, value in (header.partition(":") for header in rest)}
                body = await reader.readexactly(int(headers.get("content-length", 0)))
                reply = self.answer(Request(site, method, target, headers, body))
                if self.closed or not await self.write(writer, reply):
                    break
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.LimitOverrunError):
            pass
        finally:
            writer.close()

    async def write(self, writer, reply):
        """Sends a reply. Whether the connection may be used again."""
        writer.write(self.head(reply))
        if isinstance(reply.body, bytes):
            writer.write(reply.body)
        else:
            for piece in reply.body:
                if isinstance(piece, float):
                    await writer.drain()
                    await asyncio.sleep(piece)
                elif piece:
                    writer.write(self.wrap(piece))
            if not reply.cut:
                writer.write(self.last())
        await writer.drain()
        return not reply.cut

    def head(self, reply):
        framing = ("Content-Length", len(reply.body)) if isinstance(reply.body, bytes) else ("Transfer-Encoding", "chunked")
        kind = [("Content-Type", reply.kind)] if reply.kind else []
        lines = [f"{name}: {value}" for name, value in [*kind, *reply.headers, framing]]
        return "\r\n".join([f"{self.status_line(reply)}", *lines, "", ""]).encode()

    def status_line(self, reply):
        return f"HTTP/1.1 {reply.status} X"

    def wrap(self, piece):
        return b"%x\r\n" % len(piece) + piece + b"\r\n"

    def last(self):
        return b"0\r\n\r\n"

    # The profile that its owner writes.

    def gateway_profile(self):
        caller = ['always_calls = "bergen-tools"'] if self.always_calls else []
        payment = ['payments = [{ env = "CASE_PAYMENT" }]'] if self.payment_flow else []
        return [
            "[gateway]",
            f'url = "{self.urls["gateway"]}"',
            'key = { env = "ASSAY_GATEWAY_KEY" }',
            'revoked_key = { env = "CASE_REVOKED_KEY" }',
            'second_key = { env = "CASE_SECOND_KEY" }',
            f'usage_url = "{self.urls["gateway"]}/usage"',
            'usage_path = "spent"',
            *payment,
            "[gateway.models]",
            'chat = "bergen-text"',
            'tools = "bergen-tools"',
            *caller,
            'vision = "bergen-vision"',
            'down = "bergen-down"',
            'one_down = "bergen-half"',
            'fails_midway = "bergen-broken"',
            "[gateway.readings]",
            f"payment_flow = {str(self.payment_flow).lower()}",
            "wire_compat = true",
            "allow_http_servers = true",
            "[gateway.limits]",
            "requests_per_minute = 100000",
            f"answer_seconds = {self.answer_seconds}",
        ]

    def metadata_profile(self):
        return [
            "[metadata]",
            f'url = "{self.urls["metadata"]}"',
            'unknown_token = "424242"',
            "[[metadata.contracts]]",
            f'cid = "{self.cid}"',
            f'uri_path = "{self.uri}"',
            f"tokens = {json.dumps(self.named)}",
            f'overridden = "{self.named[-1]}"',
            "[[metadata.contracts]]",
            f'cid = "{self.template}"',
            'tokens = ["7"]',
            "[metadata.readings]",
            'interface_path = "/openapi.json"',
            "[metadata.limits]",
            "requests_per_minute = 100000",
        ]
