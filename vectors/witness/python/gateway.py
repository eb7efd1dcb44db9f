"""Validates bodies of inference requests with jsonschema. The schemas are the document's tables."""

import json

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


OPERATIONS = {"gateway.validate": validate}
