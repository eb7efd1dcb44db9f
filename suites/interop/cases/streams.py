"""Inference gateways. Streams: their frames, their deltas, how they fail, and streams that were not asked for. `wanted` of a class: the rows that must be red, or `green`, or `open`."""

import json

from service import CHAT, EVENTS, Reply, Service


# Streams: their frames.


class stream_double_data(Service):
    """A proxy frames events that are framed already."""

    wanted = ("gateway.stream.chunks",)

    def frame(self, event):
        return b"data: " + super().frame(event)


class stream_json_array(Service):
    """The stream is one event with an array of chunks."""

    wanted = ("gateway.stream.chunks",)

    def frames(self, events):
        return [self.frame(events), *self.end()]


class stream_keepalive_as_data(Service):
    """A keep-alive comment is sent as the data of an event."""

    wanted = ("gateway.stream.chunks",)

    def frames(self, events):
        return [b"data: : keepalive\n\n", *super().frames(events)]


class stream_keepalive_empty_data(Service):
    """A keep-alive event has empty data."""

    wanted = ("gateway.stream.chunks",)

    def frames(self, events):
        return [b"event: ping\ndata:\n\n", *super().frames(events)]


class stream_ping_with_json(Service):
    """A named ping event has a JSON object without `choices`."""

    wanted = ("gateway.stream.chunks",)

    def frames(self, events):
        frames = super().frames(events)
        return [*frames[:2], b'event: ping\ndata: {"type": "ping"}\n\n', *frames[2:]]


class stream_choices_null(Service):
    """The last chunk has `choices` null."""

    wanted = ("gateway.stream.chunks",)

    def events(self, body):
        return [*super().events(body), {"choices": None, "usage": {"total_tokens": 9}}]


class stream_usage_without_choices(Service):
    """The last chunk has `usage` and no `choices`."""

    wanted = ("gateway.stream.chunks",)

    def events(self, body):
        return [*super().events(body), {"usage": {"total_tokens": 9}}]


class stream_choices_object(Service):
    """`choices` of a chunk is an object with the index as its key."""

    wanted = ("gateway.stream.chunks",)

    def chunk(self, body, delta, reason=None):
        return super().chunk(body, delta, reason) | {"choices": {"0": {"delta": delta}}}


class stream_choice_is_null(Service):
    """A chunk has an element of `choices` that is null."""

    wanted = ("gateway.stream.chunks",)

    def events(self, body):
        return [*super().events(body), self.chunk(body, {}) | {"choices": [None]}]


class stream_not_utf8(Service):
    """A character is cut between two events."""

    wanted = ("gateway.stream.chunks",)

    def frame(self, event):
        return super().frame(event).replace("ü".encode(), b"\xc3")


class stream_of_tools_not_utf8(Service):
    """The bytes of a stream are not UTF-8 where tools are declared."""

    wanted = ("gateway.stream.chunks",)

    def infer(self, request, body):
        reply = super().infer(request, body)
        if body.get("tools") and isinstance(reply.body, list):
            reply.body = [b": caf\xe9\n\n", *reply.body]
        return reply


class stream_without_content_type(Service):
    """The stream has no content type."""

    wanted = ("gateway.stream.event-stream",)

    def stream_kind(self):
        return None


class stream_as_plain_text(Service):
    """The stream is labelled as plain text."""

    wanted = ("gateway.stream.event-stream",)

    def stream_kind(self):
        return "text/plain; charset=utf-8"


class stream_stalls(Service):
    """The stream stops after two chunks and stays open."""

    wanted = ("gateway.",)
    answer_seconds = 2

    def frames(self, events):
        return [*super().frames(events)[:2], 30.0]


class stream_comments(Service):
    """Comments come before the first chunk and between chunks."""

    wanted = "green"

    def frames(self, events):
        return [b": PROCESSING\n\n", *(part for frame in super().frames(events) for part in (frame, b": ping\n"))]


class stream_keepalive_without_data(Service):
    """Keep-alive events have a name and no data."""

    wanted = "green"

    def frames(self, events):
        return [b"event: keepalive\n\n", *super().frames(events)]


class stream_with_returns(Service):
    """Lines end in a carriage return and a line feed, and begin with a byte order mark."""

    wanted = "green"

    def frames(self, events):
        return [b"\xef\xbb\xbf", *(frame.replace(b"\n", b"\r\n") for frame in super().frames(events))]


class stream_data_on_lines(Service):
    """The data of an event is on several lines."""

    wanted = "green"

    def frame(self, event):
        lines = json.dumps(event, indent=1).split("\n")
        return b"".join(b"data: " + line.encode() + b"\n" for line in lines) + b"\n"


class stream_first_chunk_late(Service):
    """The first chunk comes after half a second."""

    wanted = "green"

    def frames(self, events):
        return [b": wait\n\n", 0.5, *super().frames(events)]


class stream_end_mark_bare(Service):
    """The end mark is a line without a field."""

    wanted = "green"

    def end(self):
        return [b"[DONE]\n\n"]


class stream_without_end_mark(Service):
    """The end mark and every finish reason are missing."""

    wanted = "green"

    def events(self, body):
        events = super().events(body)[:-1]
        for event in events:
            del event["choices"][0]["finish_reason"]
        return events

    def end(self):
        return []


class stream_end_mark_twice(Service):
    """The end mark comes twice."""

    wanted = "open"

    def end(self):
        return super().end() * 2


# Streams: their deltas.


class delta_missing(Service):
    """The chunk that ends the text has no `delta`."""

    wanted = "green"

    def events(self, body):
        events = super().events(body)
        del events[-1]["choices"][0]["delta"]
        return events


class delta_null(Service):
    """The chunk that ends the text has `delta` null."""

    wanted = "green"

    def events(self, body):
        events = super().events(body)
        events[-1]["choices"][0]["delta"] = None
        return events


class delta_is_text(Service):
    """`delta` is the increment itself, as a string."""

    wanted = ("gateway.stream.",)

    def chunk(self, body, delta, reason=None):
        text = (delta or {}).get("content")
        return super().chunk(body, text if isinstance(text, str) else delta, reason)


class delta_is_a_list(Service):
    """`delta` of the last chunk is an empty array, as of a language without empty objects."""

    wanted = ("gateway.stream.",)

    def events(self, body):
        events = super().events(body)
        events[-1]["choices"][0]["delta"] = []
        return events


class delta_content_list(Service):
    """`delta.content` of a model that thinks is an array of parts."""

    wanted = ("gateway.stream.delta",)

    def deltas(self, body):
        deltas = super().deltas(body)
        return [deltas[0], {"content": [{"type": "thinking", "thinking": "hm"}]}, *deltas[1:]]


class delta_content_number(Service):
    """An increment of digits is sent as a number."""

    wanted = ("gateway.stream.delta",)

    def deltas(self, body):
        return [*super().deltas(body), {"content": 7}]


class delta_repeats_all(Service):
    """Each increment is the whole text so far."""

    wanted = ("gateway.stream.text",)

    def deltas(self, body):
        text, deltas = "", super().deltas(body)
        for delta in deltas:
            if delta.get("content"):
                delta["content"] = text = text + delta["content"]
        return deltas


class delta_in_message(Service):
    """Chunks have `message` in place of `delta`."""

    wanted = ("gateway.stream.", "gateway.tools.streamed")

    def chunk(self, body, delta, reason=None):
        chunk = super().chunk(body, delta, reason)
        chunk["choices"][0]["message"] = chunk["choices"][0].pop("delta")
        return chunk


class delta_reasoning_first(Service):
    """Chunks of reasoning come before the text."""

    wanted = "green"

    def deltas(self, body):
        deltas = super().deltas(body)
        return [deltas[0], *({"content": None, "reasoning_content": f"step {n} "} for n in range(20)), *deltas[1:]]


class delta_of_two_choices(Service):
    """Chunks of two choices take turns."""

    wanted = "green"

    def events(self, body):
        events = super().events(body)
        second = json.loads(json.dumps(events))
        for event in second:
            event["choices"][0]["index"] = 1
        return [event for pair in zip(second, events, strict=True) for event in pair]


class delta_choices_empty(Service):
    """The first and the last chunk have an empty `choices`."""

    wanted = "green"

    def events(self, body):
        empty = self.chunk(body, {}) | {"choices": [], "usage": {"total_tokens": 9}}
        return [empty, *super().events(body), empty]


class delta_whole_text_at_the_end(Service):
    """The last event repeats the whole text."""

    wanted = "open"

    def deltas(self, body):
        deltas, text = super().deltas(body), self.turn(body)[0]
        return [*deltas, {"content": text}] if text else deltas


class delta_replacement_characters(Service):
    """Characters of several bytes are replaced in the stream alone."""

    wanted = "open"

    def deltas(self, body):
        deltas = super().deltas(body)
        for delta in deltas:
            if delta.get("content"):
                delta["content"] = delta["content"].encode("ascii", "replace").decode().replace("?", "\ufffd")
        return deltas


# A stream that was not asked for.


class whole_reply_as_stream(Service):
    """A reply to a request without `stream` is JSON and the end mark, labelled as an event stream."""

    wanted = ("gateway.chat.answered", "gateway.stream.not-asked-for")

    def infer(self, request, body):
        reply = super().infer(request, body)
        if request.path == CHAT and "stream" not in body:
            reply.kind, reply.body = EVENTS, reply.body + b"\n\ndata: [DONE]\n\n"
        return reply


class whole_reply_labelled_as_stream(Service):
    """A reply to a request without `stream` is JSON, labelled as an event stream."""

    wanted = ("gateway.chat.answered", "gateway.stream.not-asked-for")

    def infer(self, request, body):
        reply = super().infer(request, body)
        if request.path == CHAT and "stream" not in body:
            reply.kind = EVENTS
        return reply


class other_replies_labelled_as_stream(Service):
    """Replies of the other endpoints are JSON, labelled as event streams."""

    wanted = ("gateway.completions.", "gateway.responses.", "gateway.messages.", "gateway.stream.not-asked-for")

    def infer(self, request, body):
        reply = super().infer(request, body)
        if request.path != CHAT and not body.get("stream"):
            reply.kind = EVENTS
        return reply


class errors_labelled_as_stream(Service):
    """A rejection of a request without `stream` is JSON, labelled as an event stream."""

    wanted = ("gateway.errors.detail-", "gateway.stream.")

    def refuse(self, status, why, request):
        return Reply(status, {"detail": why}, EVENTS)


class stream_error_late(Service):
    """With `stream`, tools are validated after the stream has begun."""

    wanted = ("gateway.tools.", "gateway.stream.error-before")

    def validate(self, request, body):
        try:
            super().validate(request, body)
        except Reply:
            if body.get("stream") is True and "tools" in body:
                raise Reply(200, [b'data: {"error": {"code": 400}}\n\n'], EVENTS) from None
            raise


# Streams that fail.


class midway_end_mark(Service):
    """A stream whose server dies ends with an empty chunk and the end mark."""

    wanted = ("gateway.stream.error-event",)

    def failure(self):
        return [self.frame({"choices": [{"index": 0, "delta": {}}]}), *self.end()]


class midway_nothing(Service):
    """A stream whose server dies ends without a further event."""

    wanted = ("gateway.stream.error-event",)

    def failure(self):
        return []


class midway_bare_json(Service):
    """The error of a stream is JSON without a field, which no client sees."""

    wanted = ("gateway.stream.error-event",)

    def failure(self):
        return [b'{"error": {"code": 502}}']


class midway_named_event(Service):
    """The error is an event named `error` with JSON."""

    wanted = "green"

    def failure(self):
        return [b'event: error\ndata: {"type": "error"}\n\n']


class midway_named_text(Service):
    """The error is an event named `error` whose data is plain text, and the end mark follows."""

    wanted = "green"

    def failure(self):
        return [b"event: error\ndata: upstream reset before headers\n\n", *self.end()]


class midway_error_in_chunk(Service):
    """The error is a chunk with a member `error`."""

    wanted = "green"

    def failure(self):
        return [self.frame({"error": {"code": "server_error"}, "choices": [{"index": 0, "delta": {}, "finish_reason": "error"}]})]


class midway_cut(Service):
    """The connection is closed in the middle."""

    wanted = "open"

    def fail_midway(self, events):
        return Reply(200, [self.frame(event) for event in events[:3]], EVENTS, cut=True)
