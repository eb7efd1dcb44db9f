"""Validates bodies of inference requests with jsonschema; the schemas are the document's tables. Reads streams with httpx-sse."""

import json

import httpx
import httpx_sse
from jsonschema import Draft202012Validator

from recipes import read
from refusal import Refused, require

TEXT = {"type": "string"}


def tagged(tag, members):
    """An object whose `type` selects its schema."""
    return {"type": "object", "required": ["type"], "properties": {"type": {"const": tag}, **members}}


PART = {
    "anyOf": [
        {**tagged("text", {"text": TEXT}), "required": ["type", "text"]},
        {
            **tagged("image_url", {"image_url": {"type": "object", "required": ["url"], "properties": {"url": TEXT}}}),
            "required": ["type", "image_url"],
        },
    ]
}
TOOL = {
    **tagged(
        "function",
        {
            "function": {
                "type": "object",
                "required": ["name"],
                "properties": {"name": TEXT, "description": TEXT, "parameters": {"type": "object"}},
            }
        },
    ),
    "required": ["type", "function"],
}
MESSAGE = {
    "type": "object",
    "properties": {
        "role": TEXT,
        # The content of an assistant message with tool calls is null.
        "content": {"anyOf": [TEXT, {"type": "array", "items": PART}, {"type": "null"}]},
        "tool_call_id": TEXT,
    },
}
CHAT = {
    "type": "object",
    "required": ["model", "messages"],
    "properties": {
        "model": TEXT,
        "messages": {"type": "array", "items": MESSAGE},
        "stream": {"type": "boolean"},
        "tools": {"type": "array", "items": TOOL},
    },
}
MESSAGES = {
    "type": "object",
    "required": ["model", "max_tokens", "messages"],
    "properties": {
        "model": TEXT,
        "max_tokens": {"type": "integer"},
        "messages": {
            "type": "array",
            "items": {"type": "object", "properties": {"role": TEXT, "content": TEXT}},
        },
    },
}
SCHEMAS = {"chat": Draft202012Validator(CHAT), "messages": Draft202012Validator(MESSAGES)}


def no_constant(name):
    raise Refused(f"{name} is not JSON")


def chat(body):
    content = [message.get("content") for message in body["messages"]]
    parts = [part for each in content if isinstance(each, list) for part in each]
    return {
        "model": body["model"],
        "stream": body.get("stream", False),
        "messages": len(body["messages"]),
        "images": sum(part["type"] == "image_url" for part in parts),
        "tools": [tool["function"]["name"] for tool in body.get("tools", [])],
    }


def messages(body):
    return {"model": body["model"], "max_tokens": int(body["max_tokens"]), "messages": len(body["messages"])}


FACTS = {"chat": chat, "messages": messages}


def validate(i):
    try:
        body = json.loads(read(i["body"]).decode("utf-8", "strict"), parse_constant=no_constant)
    except ValueError as error:
        raise Refused(error) from error
    fault = next(SCHEMAS[i["endpoint"]].iter_errors(body), None)
    require(fault is None, fault and fault.message)
    return FACTS[i["endpoint"]](body)


def chunks(body):
    """The chunks of a stream before its end mark."""
    try:
        content = body.decode("utf-8-sig").encode()
    except ValueError as error:
        raise Refused(error) from error
    response = httpx.Response(200, headers={"content-type": "text/event-stream"}, content=content)
    for event in httpx_sse.EventSource(response).iter_sse():
        if event.data.strip() == "[DONE]":
            return
        if event.event != "message" and not event.data:
            continue  # The library also yields a name without data; the standard drops it.
        require(event.event != "error", event.data)
        try:
            data = json.loads(event.data, parse_constant=no_constant)
        except ValueError as error:
            raise Refused(error) from error
        require(isinstance(data, dict) and data.get("error") is None, "no chunk")
        require(isinstance(data.get("choices"), list), "no choices")
        yield data


def is_index(value):
    return type(value) is int and value >= 0


def add(calls, piece):
    """Adds a piece to its call, as client libraries do."""
    require(is_index(piece.get("index")), "a piece without an index")
    function = piece.get("function") or {}
    parts = piece.get("id"), function.get("name"), function.get("arguments")
    require(all(part is None or isinstance(part, str) for part in parts), "a part that is not a string")
    number, name, arguments = (part or "" for part in parts)
    call = calls.setdefault(piece["index"], {"id": "", "name": "", "arguments": ""})
    require(number in ("", call["id"]) or not call["id"], "another id")
    call["id"] = call["id"] or number
    call["name"] += "" if name == call["name"] else name
    call["arguments"] += arguments


def read_stream(i):
    choices = {}
    for chunk in chunks(read(i["body"])):
        for each in chunk["choices"]:
            choice = choices.setdefault(each.get("index", 0), {"text": "", "calls": {}})
            delta = each.get("delta", {})
            content, pieces = delta.get("content"), delta.get("tool_calls")
            require(content is None or isinstance(content, str), "content")
            require(pieces is None or isinstance(pieces, list), "tool_calls")
            choice["text"] += content or ""
            for piece in pieces or []:
                add(choice["calls"], piece)
    for choice in choices.values():
        calls = choice["calls"].values()
        require(all(call["id"] and call["name"] for call in calls), "a call without id or name")
        require(len({call["id"] for call in calls}) == len(calls), "two calls with one id")
    return {
        "choices": [
            {
                "index": index,
                "text": choice["text"],
                "tool_calls": [
                    {
                        "id": call["id"],
                        "type": "function",
                        "function": {"name": call["name"], "arguments": call["arguments"]},
                    }
                    for _, call in sorted(choice["calls"].items())
                ],
            }
            for index, choice in sorted(choices.items())
        ]
    }


OPERATIONS = {"gateway.validate": validate, "gateway.read_stream": read_stream}
