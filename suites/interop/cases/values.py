"""Inference gateways. Odd input, ordinary values, and forms of HTTP. `wanted` of a class: the rows that must be red, or `green`, or `open`."""

import base64
import json
import re

from service import CHAT, MESSAGES, Reply, Service


def crash():
    return Reply(500, b"Internal Server Error", "text/plain")


# Odd input.


class odd(Service):
    """A service that crashes on an odd body."""

    def validate(self, request, body):
        if self.is_odd(request, body):
            raise RuntimeError
        super().validate(request, body)

    def is_odd(self, request, body):
        return False


class odd_empty_object(odd):
    """An empty object gives 500 at the endpoints without a described body."""

    wanted = ("gateway.input.empty",)

    def is_odd(self, request, body):
        return not body and request.path not in (CHAT, MESSAGES)


class odd_surrogate(odd):
    """Half of a surrogate pair gives 500."""

    wanted = ("gateway.input.surrogate",)

    def is_odd(self, request, body):
        return re.search(rb"\\ud8[0-9a-f]{2}(?!\\ud[c-f])", request.body.lower()) is not None


class odd_surrogate_in_content(odd):
    """Half of a surrogate pair gives 500 where the model reads it."""

    wanted = ("gateway.input.surrogate",)

    def is_odd(self, request, body):
        json.dumps([body.get("messages"), body.get("prompt"), body.get("input")], ensure_ascii=False).encode()
        return False


class odd_nan(odd):
    """A body with NaN gives 500."""

    wanted = ("gateway.input.huge-number",)

    def is_odd(self, request, body):
        json.dumps(body, allow_nan=False)
        return False


class odd_zero_character(odd):
    """A string with the character zero gives 500, as of a database."""

    wanted = ("gateway.input.surrogate",)

    def is_odd(self, request, body):
        return b"\\u0000" in request.body


def depth(value):
    if isinstance(value, dict):
        value = list(value.values())
    return 1 + max(map(depth, value), default=0) if isinstance(value, list) else 0


class odd_deep_schema(odd):
    """The schema of a tool that is 40 levels deep gives 500."""

    wanted = ("gateway.input.deep",)

    def is_odd(self, request, body):
        return depth(body.get("tools")) > 40


class odd_deeper_schema(odd):
    """The schema of a tool that is 150 levels deep gives 500."""

    wanted = ("gateway.input.deep",)

    def is_odd(self, request, body):
        return depth(body.get("tools")) > 150


class odd_empty_messages(odd):
    """A conversation without a message gives 500."""

    wanted = ("gateway.input.empty",)

    def is_odd(self, request, body):
        return request.path == CHAT and body.get("messages") == []


class odd_empty_parts(odd):
    """A content without a part gives 500."""

    wanted = ("gateway.input.empty",)

    def is_odd(self, request, body):
        messages = body.get("messages")
        return isinstance(messages, list) and any(isinstance(message, dict) and message.get("content") == [] for message in messages)


class odd_cut_image(Service):
    """An image that is cut off gives 500; what is not base64 is refused."""

    wanted = ("gateway.input.image-data",)

    def look_at(self, request, url):
        try:
            data = base64.b64decode(url.partition(",")[2], validate=True)
        except ValueError:
            raise self.refuse(422, "not base64", request) from None
        if data and (data[:4] != b"\x89PNG" or data[-8:-4] != b"IEND") and data[:2] != b"\xff\xd8":
            raise OSError


class odd_role_400(Service):
    """An unknown role gives 400."""

    wanted = ("gateway.input.unknown-role",)

    def validate(self, request, body):
        super().validate(request, body)
        if any(message["role"] not in ("user", "assistant", "system", "tool") for message in body.get("messages", [])):
            raise self.refuse(400, "unknown role", request)


class odd_depth_ends_the_program(Service):
    """A deeply nested body ends the program."""

    wanted = ("gateway.input.", "gateway.direct.")

    def read(self, request):
        if b"[" * 10_000 in request.body or b'{"a":' * 10_000 in request.body:
            self.closed = True
            self.stop()
        return super().read(request)


class odd_input_breaks_the_next(Service):
    """A body that is not UTF-8 is refused, and breaks the next request of any client."""

    wanted = ("gateway.",)
    is_broken = False

    def gateway(self, request):
        was_broken, self.is_broken = self.is_broken, False
        return crash() if was_broken else super().gateway(request)

    def read(self, request):
        try:
            request.body.decode()
        except ValueError:
            self.is_broken = True
        return super().read(request)


class odd_media_type_415(Service):
    """A body without the media type of JSON gives 415."""

    wanted = "green"

    def gateway(self, request):
        is_json = request.headers.get("content-type", "").startswith("application/json")
        return super().gateway(request) if is_json or request.method != "POST" else self.refuse(415, "JSON only", request)


class odd_stream_as_text(Service):
    """The string `true` is read as true."""

    wanted = "open"

    def read(self, request):
        body = super().read(request)
        if body.get("stream") in ("true", "false"):
            body["stream"] = body["stream"] == "true"
        return body


# Ordinary values.


class text_beyond_ascii_500(odd):
    """A prompt with letters beyond ASCII gives 500."""

    wanted = ("gateway.",)

    def is_odd(self, request, body):
        return not json.dumps(body.get("messages", ""), ensure_ascii=False).isascii()


class text_beyond_ascii_500_elsewhere(odd):
    """A prompt with letters beyond ASCII gives 500 at the endpoints without a described body."""

    wanted = ("gateway.",)

    def is_odd(self, request, body):
        return not json.dumps([body.get("prompt"), body.get("input")], ensure_ascii=False).isascii()


class image_too_large(Service):
    """A small image is refused with 413."""

    wanted = ("gateway.chat.image",)

    def look_at(self, request, url):
        raise self.refuse(413, "too large", request)


class image_png_only(Service):
    """A JPEG is refused."""

    wanted = ("gateway.chat.image",)

    def look_at(self, request, url):
        if url.startswith("data:image/jpeg"):
            raise self.refuse(422, "PNG only", request)


# HTTP.


class http_chunk_extensions(Service):
    """Chunks have extensions, and trailers follow."""

    wanted = "green"

    def wrap(self, piece):
        return b'%04X;x=1;y="a b"\r\n' % len(piece) + piece + b"\r\n"

    def last(self):
        return b"0000;last\r\nX-Sum: 7\r\n\r\n"


class http_until_close(Service):
    """The end of the connection ends a stream."""

    wanted = "green"

    async def write(self, writer, reply):
        if isinstance(reply.body, bytes):
            return await super().write(writer, reply)
        head = f"HTTP/1.1 {reply.status} OK\r\nContent-Type: {reply.kind}\r\nConnection: close\r\n\r\n"
        writer.write(head.encode() + b"".join(reply.body))
        await writer.drain()
        return False


class http_early_hints(Service):
    """Each response has two before it that are not final."""

    wanted = "green"

    def head(self, reply):
        return b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + super().head(reply)


class http_without_reason(Service):
    """Status lines end after the status."""

    wanted = "green"

    def status_line(self, reply):
        return f"HTTP/1.1 {reply.status}"


class cookie_many(Service):
    """A chat sets several cookies, one of which deletes another."""

    wanted = "green"

    def infer(self, request, body):
        reply = super().infer(request, body)
        cookies = ('a="x y"; Path=/', "b=c=d==; Path=/", "old=; Max-Age=0; Path=/", "p=1; Path=/none")
        reply.headers += [("Set-Cookie", cookie) for cookie in cookies]
        return reply


class cookie_of_a_lost_server(Service):
    """A cookie that names a lost server gives 502."""

    wanted = "open"

    def gateway(self, request):
        is_lost = "case_affinity=gone" in request.headers.get("cookie", "")
        return self.refuse(502, "no such server", request) if is_lost else super().gateway(request)
