"""Inference gateways. Calls of tools, in streams and in whole replies. `wanted` of a class: the rows that must be red, or `green`, or `open`."""

import json

from service import Reply, Service


# Streams: their calls of tools.


class streamed_call(Service):
    """A service that changes the pieces of its calls."""

    def pieces(self, index, call):
        deltas = super().pieces(index, call)
        for n, delta in enumerate(deltas):
            self.change(delta["tool_calls"][0], n, call)
        return deltas

    def change(self, piece, n, call):
        """Changes piece `n` of a call."""


class call_without_id(streamed_call):
    """A streamed call has no id."""

    wanted = ("gateway.tools.streamed",)

    def change(self, piece, n, call):
        piece.pop("id", None)


class call_without_name(streamed_call):
    """A streamed call has no name."""

    wanted = ("gateway.tools.streamed",)

    def change(self, piece, n, call):
        piece["function"].pop("name", None)


class call_without_arguments(Service):
    """A streamed call has no arguments."""

    wanted = ("gateway.tools.streamed",)

    def pieces(self, index, call):
        return super().pieces(index, call)[:1]


class call_without_index(streamed_call):
    """The pieces of a call do not say which call they belong to."""

    wanted = ("gateway.tools.streamed",)

    def change(self, piece, n, call):
        del piece["index"]


class call_index_shared(streamed_call):
    """All calls of a stream have the index 0."""

    wanted = ("gateway.tools.streamed",)

    def change(self, piece, n, call):
        piece["index"] = 0


class call_index_shared_by_any_model(call_index_shared):
    """All calls of a stream have the index 0. The profile does not say that the model always calls."""

    wanted = ("gateway.tools.streamed",)
    always_calls = False


class call_index_per_piece(streamed_call):
    """Each piece of a call has an index of its own."""

    wanted = ("gateway.tools.streamed",)

    def change(self, piece, n, call):
        piece["index"] += 10 * n


class call_index_text(streamed_call):
    """The index of a call is a string."""

    wanted = ("gateway.tools.streamed",)

    def change(self, piece, n, call):
        piece["index"] = str(piece["index"])


class call_id_per_piece(streamed_call):
    """Each piece of a call has another id."""

    wanted = ("gateway.tools.streamed",)
    always_calls = False

    def change(self, piece, n, call):
        piece["id"] = f"{call['id']}-{n}"


class call_ids_alike(Service):
    """Two calls of a stream have one id."""

    wanted = ("gateway.tools.streamed",)

    def infer(self, request, body):
        self.streams = bool(body.get("stream"))
        return super().infer(request, body)

    def call_id(self, name):
        return "call_stream" if self.streams else super().call_id(name)


class call_arguments_object(streamed_call):
    """The arguments of a streamed call are an object."""

    wanted = ("gateway.tools.streamed",)

    def change(self, piece, n, call):
        if n:
            piece["function"]["arguments"] = json.loads(call["function"]["arguments"])


class call_arguments_repeated(streamed_call):
    """Each piece of the arguments repeats those before it."""

    wanted = ("gateway.tools.streamed",)

    def change(self, piece, n, call):
        if n == 2:
            piece["function"]["arguments"] = call["function"]["arguments"]


class call_arguments_empty(streamed_call):
    """The arguments of a streamed call are an empty object, although the schema requires members."""

    wanted = ("gateway.tools.streamed-fit",)

    def change(self, piece, n, call):
        piece["function"]["arguments"] = "{}" if n == 1 else ""


class call_arguments_of_another_type(Service):
    """The arguments of a streamed call have a number where the schema wants a string."""

    wanted = ("gateway.tools.streamed-fit",)

    def pieces(self, index, call):
        call["function"]["arguments"] = '{"place": 7, "unit": "metric"}'
        return super().pieces(index, call)


class call_arguments_encoded_twice(Service):
    """The arguments of a streamed call are a JSON string with the object."""

    wanted = ("gateway.tools.streamed",)

    def pieces(self, index, call):
        call["function"]["arguments"] = json.dumps(call["function"]["arguments"])
        return super().pieces(index, call)


class call_dropped(Service):
    """A stream has the first of two calls only."""

    wanted = ("gateway.tools.streamed",)

    def deltas(self, body):
        return [delta for delta in super().deltas(body) if not delta.get("tool_calls") or delta["tool_calls"][0]["index"] == 0]


class calls_dropped(Service):
    """A stream has none of the calls."""

    wanted = ("gateway.tools.streamed",)

    def deltas(self, body):
        return [delta for delta in super().deltas(body) if not delta.get("tool_calls")]


class calls_as_object(streamed_call):
    """`delta.tool_calls` is one call and not an array. The profile does not say that the model always calls."""

    wanted = ("gateway.tools.streamed", "gateway.stream.")
    always_calls = False

    def pieces(self, index, call):
        return [{"tool_calls": delta["tool_calls"][0]} for delta in super().pieces(index, call)]


class calls_in_old_form(Service):
    """A stream has `function_call` in place of `tool_calls`."""

    wanted = ("gateway.tools.streamed",)

    def pieces(self, index, call):
        return [{"function_call": delta["tool_calls"][0]["function"]} for delta in super().pieces(index, call)]


class calls_in_text(Service):
    """A stream has its calls as text between marks."""

    wanted = ("gateway.tools.streamed",)

    def pieces(self, index, call):
        return [{"content": f"<tool_call>{json.dumps(call['function'])}</tool_call>"}]


class call_in_one_piece(Service):
    """A streamed call comes in one piece."""

    wanted = "green"

    def pieces(self, index, call):
        return [{"tool_calls": [{"index": index, **call}]}]


class call_repeats_its_id(streamed_call):
    """Each piece of a call repeats its id, its name and its type."""

    wanted = "green"

    def change(self, piece, n, call):
        piece |= {"id": call["id"], "type": "function"}
        piece["function"]["name"] = call["function"]["name"]


class call_with_nulls(streamed_call):
    """Later pieces of a call have null as id, name and type."""

    wanted = "green"

    def change(self, piece, n, call):
        if n:
            piece |= {"id": None, "type": None}
            piece["function"]["name"] = None


class call_with_empty_texts(streamed_call):
    """Later pieces of a call have empty strings as id and name."""

    wanted = "green"

    def change(self, piece, n, call):
        if n:
            piece["id"] = piece["function"]["name"] = ""


class call_index_from_one(streamed_call):
    """The indices of calls begin with one."""

    wanted = "green"

    def change(self, piece, n, call):
        piece["index"] += 1


class calls_take_turns(Service):
    """The pieces of two calls take turns."""

    wanted = "green"

    def deltas(self, body):
        deltas = super().deltas(body)
        return sorted(deltas, key=lambda delta: "arguments" in delta and bool(delta["arguments"]))


# Whole replies, and their calls.


class reply_error_with_200(Service):
    """A chat with an image returns 200 and an `error` in place of `choices`."""

    wanted = ("gateway.chat.choices",)

    def infer(self, request, body):
        if "image_url" in json.dumps(body) and not body.get("stream"):
            return Reply(200, {"error": {"message": "the provider failed", "code": 502}})
        return super().infer(request, body)


class reply_content_list(Service):
    """`message.content` is an array of parts."""

    wanted = ("gateway.chat.answer-text",)

    def message(self, body):
        message = super().message(body)
        message["content"] = message["content"] and [{"type": "text", "text": message["content"]}]
        return message


class reply_content_null(Service):
    """`message.content` is null, and the text is in another member."""

    wanted = ("gateway.chat.answer-text",)

    def message(self, body):
        message = super().message(body)
        return message | {"content": None, "reasoning_content": message["content"]}


class tool_arguments_object(Service):
    """The arguments of a call are an object."""

    wanted = ("gateway.tools.call-arguments",)

    def message(self, body):
        message = super().message(body)
        for call in message.get("tool_calls", []):
            call["function"]["arguments"] = json.loads(call["function"]["arguments"])
        return message


class tool_ids_by_name(Service):
    """The id of a call is made of the name of its tool."""

    wanted = ("gateway.tools.call-ids",)

    def call_id(self, name):
        return f"call-{name}"


class tool_ids_refused(Service):
    """Ids of nine characters are accepted alone; the gateway's own are longer."""

    wanted = ("gateway.tools.round-trip",)

    def call_id(self, name):
        return "call_of_a_tool_" + super().call_id(name)

    def validate(self, request, body):
        super().validate(request, body)
        if any(len(message.get("tool_call_id", "123456789")) != 9 for message in body.get("messages", [])):
            raise self.refuse(400, "the id must have nine characters", request)


class tool_null_content_refused(Service):
    """The message of a call has `content` null, and is refused when it comes back."""

    wanted = ("gateway.tools.round-trip",)
    in_streams_only = False

    def validate(self, request, body):
        super().validate(request, body)
        applies = body.get("stream") or not self.in_streams_only
        if applies and any(message.get("content") is None for message in body.get("messages", [])):
            raise self.refuse(422, "content", request)


class tool_null_content_refused_in_streams(tool_null_content_refused):
    """The message of a call has `content` null, and is refused when it comes back in a streamed chat."""

    wanted = ("gateway.tools.round-trip",)
    in_streams_only = True


class tool_result_parts_refused(Service):
    """The content of a `tool` message may be a string only."""

    wanted = ("gateway.tools.round-trip",)

    def validate(self, request, body):
        super().validate(request, body)
        if any(message.get("role") == "tool" and not isinstance(message["content"], str) for message in body.get("messages", [])):
            raise self.refuse(422, "the content of a tool message must be a string", request)


class tool_calls_empty(Service):
    """Replies without a call have an empty `tool_calls` and the finish reason of calls."""

    wanted = "green"

    def completion(self, body):
        reply = super().completion(body)
        if not reply["choices"][0]["message"].get("tool_calls"):
            reply["choices"][0]["message"]["tool_calls"] = []
            reply["choices"][0]["finish_reason"] = "tool_calls"
        return reply


class tool_calls_null(Service):
    """Replies and deltas without a call have `tool_calls` null."""

    wanted = "green"

    def message(self, body):
        return {"tool_calls": None, "function_call": None, "refusal": None} | super().message(body)

    def deltas(self, body):
        return [{"tool_calls": None} | delta for delta in super().deltas(body)]


class tool_call_beside_text(Service):
    """A reply has content and a call, and the finish reason `stop`."""

    wanted = "green"

    def message(self, body):
        message = super().message(body)
        return message | {"content": message["content"] or "Let me look."}

    def completion(self, body):
        reply = super().completion(body)
        reply["choices"][0]["finish_reason"] = "stop"
        return reply


class tool_empty_list_refused(Service):
    """An empty `tools` is refused."""

    wanted = "green"

    def validate(self, request, body):
        super().validate(request, body)
        if body.get("tools") == []:
            raise self.refuse(422, "tools is empty", request)
