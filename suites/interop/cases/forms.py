"""Requests that clients send in more than one form, of which a gateway serves one, and replies in forms that are rarely seen."""

import gzip
import json

from service import CHAT, MESSAGES, RESPONSES, Reply, Service


class whole_reply_about_an_image(Service):
    """A chat about an image is never streamed."""

    wanted = ("gateway.stream.event-stream", "gateway.chat.image")

    def infer(self, request, body):
        if request.path == CHAT and body.get("stream") and b"image_url" in request.body:
            return Reply(200, self.completion(body))
        return super().infer(request, body)


class whole_reply_to_a_result(Service):
    """A chat with the result of a tool is never streamed."""

    wanted = ("gateway.stream.event-stream", "gateway.tools.round-trip", "gateway.tools.result-used")

    def infer(self, request, body):
        if request.path == CHAT and body.get("stream") and any(message["role"] == "tool" for message in body["messages"]):
            return Reply(200, self.completion(body))
        return super().infer(request, body)


class stream_by_its_bytes(Service):
    """A proxy looks for the bytes `"stream":true` of a body."""

    wanted = ("gateway.stream.event-stream", "gateway.input.spelling")

    def read(self, request):
        body = super().read(request)
        if body.get("stream") is True and b'"stream":true' not in request.body:
            body["stream"] = False
        return body


class model_only_first(Service):
    """A router reads the model only where it is the first member."""

    wanted = ("gateway.input.spelling",)

    def validate(self, request, body):
        super().validate(request, body)
        if next(iter(body)) != "model":
            raise self.refuse(404, "unknown model", request)


class one_result_at_a_time(Service):
    """The roles of a conversation must alternate, so two results of tools are refused."""

    wanted = ("gateway.tools.round-trip",)

    def validate(self, request, body):
        super().validate(request, body)
        roles = [message.get("role") for message in body.get("messages", [])]
        if any(one == other == "tool" for one, other in zip(roles, roles[1:])):
            raise self.refuse(400, "roles must alternate", request)


class image_after_text_only(Service):
    """An image before text is an internal error."""

    wanted = ("gateway.chat.image",)

    def validate(self, request, body):
        super().validate(request, body)
        contents = [message.get("content") for message in body.get("messages", [])]
        if any(isinstance(content, list) and len(content) > 1 and content[0]["type"] == "image_url" for content in contents):
            raise RuntimeError


class image_with_text_only(Service):
    """An image alone is an internal error."""

    wanted = ("gateway.chat.image",)

    def validate(self, request, body):
        super().validate(request, body)
        contents = [message.get("content") for message in body.get("messages", [])]
        if any(isinstance(content, list) and content and all(part["type"] == "image_url" for part in content) for content in contents):
            raise RuntimeError


class first_turn_only(Service):
    """A reply of the model in the conversation is an internal error."""

    wanted = ("gateway.chat.answered", "gateway.tools.round-trip")

    def validate(self, request, body):
        super().validate(request, body)
        if request.path == CHAT and any(message["role"] == "assistant" and message.get("content") for message in body["messages"]):
            raise RuntimeError


class tools_in_ascii_only(Service):
    """A description of a tool beyond ASCII is an internal error."""

    wanted = ("gateway.tools.taken",)

    def validate(self, request, body):
        super().validate(request, body)
        if not json.dumps(body.get("tools"), ensure_ascii=False).isascii():
            raise RuntimeError


class compressed_replies(Service):
    """Whole replies are compressed, which a request without `Accept-Encoding` allows."""

    wanted = "green"

    def answer(self, request):
        reply = super().answer(request)
        if isinstance(reply.body, bytes) and reply.body and reply.status == 200:
            reply.body = gzip.compress(reply.body)
            reply.headers.append(("Content-Encoding", "gzip"))
        return reply


class compressed_by_label(Service):
    """A proxy decompresses messages and keeps their `Content-Encoding`."""

    wanted = ("gateway.messages.", "gateway.direct.", "gateway.auth.", "gateway.input.", "gateway.pool.")

    def infer(self, request, body):
        reply = super().infer(request, body)
        if request.path == MESSAGES:
            reply.headers.append(("Content-Encoding", "gzip"))
        return reply


class dead_server_in_turn(Service):
    """Every second request goes to a server that is down, and no other is tried."""

    wanted = ("gateway.pool.failover",)
    turns = 0

    def infer(self, request, body):
        if request.site == "gateway" and body["model"] == "bergen-half":
            self.turns += 1
            if self.turns % 2:
                return self.refuse(503, "connection refused", request)
        return super().infer(request, body)


class dead_server_for_streams(Service):
    """A stream is not sent to another server after a failure."""

    wanted = ("gateway.pool.failover",)

    def infer(self, request, body):
        if request.site == "gateway" and body["model"] == "bergen-half" and body.get("stream"):
            return self.refuse(503, "connection refused", request)
        return super().infer(request, body)


class cookie_of_another_endpoint(Service):
    """The cookie that a chat sets is an internal error elsewhere."""

    wanted = ("gateway.pool.cookies",)

    def infer(self, request, body):
        if request.path == RESPONSES and "case_affinity" in request.headers.get("cookie", ""):
            raise RuntimeError
        return super().infer(request, body)


class one_server_without_keys(Service):
    """The second of two servers needs no key."""

    wanted = ("gateway.direct.invalid-key", "gateway.direct.missing-key")

    def authenticate(self, request):
        if request.site != "far":
            super().authenticate(request)


class servers_frame_twice(Service):
    """Each event of a server begins with `data: data: `; the gateway's do not."""

    wanted = ("gateway.direct.",)

    def infer(self, request, body):
        reply = super().infer(request, body)
        if request.site != "gateway" and isinstance(reply.body, list):
            reply.body = [b"data: " + piece if isinstance(piece, bytes) else piece for piece in reply.body]
        return reply


class lines_of_json(Service):
    """A stream is lines of JSON with a media type of their own."""

    wanted = ("gateway.stream.event-stream",)

    def frames(self, events):
        return [json.dumps(event).encode() + b"\n" for event in events]

    def stream_kind(self):
        return "application/x-ndjson"


class lines_of_json_as_events(Service):
    """A stream is lines of JSON without `data:`."""

    wanted = ("gateway.stream.chunks",)

    def frames(self, events):
        return [json.dumps(event).encode() + b"\n\n" for event in events]


class calls_for_ever(Service):
    """After the result of a tool the model calls it again, and never answers."""

    wanted = ("gateway.tools.result-used",)

    def turn(self, body):
        last = (body["messages"] or [{"role": "user"}])[-1]
        if last["role"] == "tool" and body.get("tools"):
            return None, [self.call(body["tools"][0]["function"])]
        return super().turn(body)


class calls_in_the_text(Service):
    """A whole reply has its calls in its content, between marks."""

    wanted = ("gateway.tools.",)

    def message(self, body):
        message = super().message(body)
        calls = message.pop("tool_calls", [])
        if calls:
            message["content"] = "".join(f"<tool_call>{json.dumps(call['function'])}</tool_call>" for call in calls)
        return message


class models_in_any_case(Service):
    """The letter case of a model does not count."""

    wanted = "open"

    def read(self, request):
        body = super().read(request)
        if isinstance(body.get("model"), str):
            body["model"] = body["model"].lower()
        return body
