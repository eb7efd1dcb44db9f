"""An inference gateway: `python gateway.py PORT [MISTAKE ...]`.

Without a mistake it follows the document. `all` switches every mistake on.
The environment variable RIVAL_KEY holds the accepted key.
"""
import hmac
import json
import os
import re
import time
import uuid

from common import Handler, Refused, run

MISTAKES = {
    # Authentication
    "missing_key_403": "A request without a key gets `403`, not `401`.",
    # Authentication
    "key_kept_on_connection": "After a valid key, an invalid key is accepted on the same connection.",
    # Errors
    "error_object": "Errors carry an object `error` with a `message`, and no `detail` string.",
    # Errors
    "unknown_model_served": "A request for an unknown model gets an answer of the default model, not `404`.",
    # Messages-format request body
    "max_tokens_optional": "`POST /v1/messages` accepts a body without `max_tokens`.",
    # Chat request body
    "tool_arguments_object": "`function.arguments` of a tool call is an object, not a string.",
    # Chat request body
    "tools_stop_stream": "`stream` is ignored when the request has `tools`; the reply is one JSON object.",
    # Chat request body
    "stream_repeats_text": "`delta.content` of each chunk repeats the text so far, not only the increment.",
}
ON = set()

KEY = os.environ.get("RIVAL_KEY", "rival-key")
# Nothing listens on these addresses: this gateway has no separate backing servers.
NODES = ["https://127.0.0.1:9", "https://127.0.0.2:9"]
MODELS = {
    "text-small": {"servers": NODES},
    "text-tools": {"servers": NODES[:1], "tools": True},
    "text-sealed": {"servers": ["tee://" + "5e" * 32]},    # confidential
    "text-breaks": {"servers": NODES[1:]},                 # each stream fails midway
    "text-down": {"servers": NODES[1:], "down": True},     # no server answers
    "image-small": {"servers": NODES[:1], "image": True},  # not a text model
}
DEFAULT_MODEL = "text-small"
ROLES = {"user", "tool", "assistant", "system", "developer"}
MAX_BODY = 32 * 1024 * 1024


def need(condition, detail):
    if not condition:
        raise Refused(422, detail)


def check_content(content, where):
    if isinstance(content, str):
        return
    need(isinstance(content, list), f"{where}.content must be a string or an array")
    for part in content:
        need(isinstance(part, dict), f"{where}.content: a part must be an object")
        if part.get("type") == "text":
            need(isinstance(part.get("text"), str), f"{where}.content: text must be a string")
        elif part.get("type") == "image_url":
            image = part.get("image_url")
            need(isinstance(image, dict) and isinstance(image.get("url"), str),
                 f"{where}.content: image_url.url must be a string")
        else:
            need(False, f"{where}.content: unknown type of part")


def check_chat(body):
    need(isinstance(body.get("messages"), list), "messages must be an array")
    need(isinstance(body.get("stream"), (bool, type(None))), "stream must be a boolean")
    for index, message in enumerate(body["messages"]):
        where = f"messages[{index}]"
        need(isinstance(message, dict), f"{where} must be an object")
        role = message.get("role")
        need(isinstance(role, str) and role in ROLES, f"{where}.role is invalid")
        if not (role == "assistant" and message.get("content") is None):
            check_content(message.get("content"), where)
        need(role != "tool" or isinstance(message.get("tool_call_id"), str),
             f"{where}.tool_call_id must be a string")
    tools = body.get("tools")
    need(isinstance(tools, (list, type(None))), "tools must be an array")
    for tool in tools or []:
        need(isinstance(tool, dict) and tool.get("type") == "function", "type of a tool must be function")
        function = tool.get("function")
        need(isinstance(function, dict) and isinstance(function.get("name"), str),
             "function.name of a tool must be a string")
        need(isinstance(function.get("description"), (str, type(None))), "function.description must be a string")
        need(isinstance(function.get("parameters"), (dict, type(None))), "function.parameters must be an object")


def check_messages(body):
    tokens = body.get("max_tokens")
    if not (tokens is None and "max_tokens_optional" in ON):
        need(type(tokens) is int, "max_tokens must be an integer")
    need(isinstance(body.get("messages"), list), "messages must be an array")
    for message in body["messages"]:
        need(isinstance(message, dict) and isinstance(message.get("role"), str)
             and isinstance(message.get("content"), str), "a message needs the strings role and content")


def text_of(content):
    if isinstance(content, list):
        return " ".join(part["text"] if part["type"] == "text" else "an image" for part in content)
    return content or ""


def answer(messages):
    last = messages[-1] if messages else {}
    verb = "The tool returned:" if last.get("role") == "tool" else "You wrote this:"
    return f"{verb} {text_of(last.get('content'))[:200]}"


def tool_call(tool):
    """A call of the tool with a value for each required parameter."""
    schema = tool["function"].get("parameters") or {}
    properties, required = schema.get("properties"), schema.get("required")
    samples = {"integer": 1, "number": 1.5, "boolean": True, "array": [], "object": {}}
    values = {}
    for name in required if isinstance(required, list) else []:
        kind = properties.get(str(name)) if isinstance(properties, dict) else None
        kind = kind if isinstance(kind, dict) else {}
        choices = kind.get("enum")
        values[str(name)] = choices[0] if choices and isinstance(choices, list) else samples.get(str(kind.get("type")), "text")
    arguments = values if "tool_arguments_object" in ON else json.dumps(values)
    return {"id": "call_" + uuid.uuid4().hex[:24], "type": "function",
            "function": {"name": tool["function"]["name"], "arguments": arguments}}


class Gateway(Handler):
    known_key = False  # a valid key was seen on this connection

    def refuse(self, status, error):
        value = {"error": {"message": error, "code": status}} if "error_object" in ON else {"detail": error}
        self.reply(status, value, **({"WWW-Authenticate": "Bearer"} if status == 401 else {}))

    def check_key(self):
        scheme, _, key = self.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not key.strip():
            raise Refused(403 if "missing_key_403" in ON else 401, "missing API key")
        if hmac.compare_digest(key.strip().encode(), KEY.encode()):
            self.known_key = True
        elif not (self.known_key and "key_kept_on_connection" in ON):
            raise Refused(401, "invalid API key")

    def route(self, path):
        posts = {"/v1/chat/completions": self.chat, "/v1/completions": self.completions, "/completions": self.native,
                 "/v1/responses": self.responses_api, "/v1/messages": self.messages}
        gets = ("/v1/models", "/svc/models", "/svc/auth/check")
        if path not in posts and path not in gets:
            raise Refused(404, "unknown path")
        if self.command not in (("POST",) if path in posts else ("GET", "HEAD")):
            raise Refused(405, "method not allowed")
        if path == "/svc/models":
            return self.reply(200, {name: {"servers": model["servers"]} for name, model in MODELS.items()})
        if path == "/v1/models":
            names = [name for name, model in MODELS.items() if not model.keys() & {"down", "image"}]
            return self.reply(200, {"object": "list", "data": [
                {"id": name, "object": "model", "created": 1700000000, "owned_by": "gateway"} for name in names]})
        self.check_key()
        if path == "/svc/auth/check":
            return self.reply(200, {"status": "ok"})
        raw = self.read_body(MAX_BODY)
        need(raw is not None, "the body is too long")
        try:
            body = json.loads(raw)
        except (ValueError, RecursionError):
            raise Refused(422, "the body is not valid JSON") from None
        need(isinstance(body, dict), "the body must be an object")
        posts[path](body)

    def model_of(self, body):
        """The model of a valid body, or the documented error."""
        need(isinstance(body.get("model"), str), "model must be a string")
        name = body["model"]
        if name not in MODELS and "unknown_model_served" in ON:
            name = DEFAULT_MODEL
        if name not in MODELS:
            raise Refused(404, "unknown model")
        if MODELS[name].get("down"):
            raise Refused(503, "all servers failed for the model")
        need(not MODELS[name].get("image"), "the model is not a text model")
        return name

    def chat(self, body):
        check_chat(body)
        name, tools, messages = self.model_of(body), body.get("tools"), body["messages"]
        need(not tools or MODELS[name].get("tools"), "the model does not support tools")
        message, reason = {"role": "assistant", "content": answer(messages)}, "stop"
        if tools and not (messages and messages[-1]["role"] == "tool"):
            asked = text_of(messages[-1].get("content")) if messages else ""
            named = [tool for tool in tools if tool["function"]["name"] in asked] or tools[:1]
            calls = [tool_call(tool) for tool in named]
            message, reason = {"role": "assistant", "content": None, "tool_calls": calls}, "tool_calls"
        head = {"id": "chatcmpl-" + uuid.uuid4().hex, "created": int(time.time()), "model": name}
        if body.get("stream") and not (tools and "tools_stop_stream" in ON):
            return self.stream(head | {"object": "chat.completion.chunk"}, message, reason)
        used = [sum(len(text_of(m.get("content")).split()) for m in messages), len((message["content"] or "").split())]
        self.reply(200, head | {"object": "chat.completion",
                                "choices": [{"index": 0, "message": message, "finish_reason": reason}],
                                "usage": {"prompt_tokens": used[0], "completion_tokens": used[1], "total_tokens": sum(used)}})

    def stream(self, head, message, reason):
        deltas = [{"role": "assistant", "content": ""}]
        if "tool_calls" in message:
            deltas += [{"tool_calls": [{"index": n} | call]} for n, call in enumerate(message["tool_calls"])]
        so_far = ""
        for word in re.findall(r"\S+\s*", message["content"] or ""):
            so_far += word
            deltas.append({"content": so_far if "stream_repeats_text" in ON else word})
        broken = head["model"] == "text-breaks"
        events = [head | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
                  for delta in (deltas[:3] if broken else deltas)]
        events.append({"error": {"message": "the server failed", "code": 503}} if broken else
                      head | {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
        chunked = self.request_version != "HTTP/1.0"
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-cache")
        self.send_header(*(("Transfer-Encoding", "chunked") if chunked else ("Connection", "close")))
        self.end_headers()
        for text in [json.dumps(event) for event in events] + ["[DONE]"][broken:]:
            data = f"data: {text}\n\n".encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data) if chunked else data)
        if chunked:
            self.wfile.write(b"0\r\n\r\n")

    def completions(self, body):
        need(isinstance(body.get("prompt"), (str, list)), "prompt must be a string or an array")
        name = self.model_of(body)
        self.reply(200, {"id": "cmpl-" + uuid.uuid4().hex, "object": "text_completion", "created": int(time.time()),
                         "model": name, "choices": [{"index": 0, "text": " and so on", "finish_reason": "stop"}]})

    def native(self, body):
        need(isinstance(body.get("prompt"), (str, list)), "prompt must be a string or an array")
        self.reply(200, {"content": " and so on", "stop": True, "model": self.model_of({"model": DEFAULT_MODEL} | body)})

    def responses_api(self, body):
        need(isinstance(body.get("input"), (str, list)), "input must be a string or an array")
        part = {"type": "output_text", "text": "A short answer.", "annotations": []}
        self.reply(200, {"id": "resp_" + uuid.uuid4().hex, "object": "response", "created_at": int(time.time()),
                         "model": self.model_of(body), "status": "completed", "output": [
                             {"id": "msg_" + uuid.uuid4().hex, "type": "message", "role": "assistant",
                              "status": "completed", "content": [part]}]})

    def messages(self, body):
        check_messages(body)
        name, text = self.model_of(body), answer(body["messages"])
        self.reply(200, {"id": "msg_" + uuid.uuid4().hex, "type": "message", "role": "assistant", "model": name,
                         "content": [{"type": "text", "text": text}], "stop_reason": "end_turn", "stop_sequence": None,
                         "usage": {"input_tokens": 1, "output_tokens": len(text.split())}})


if __name__ == "__main__":
    run(Gateway, MISTAKES, ON)
