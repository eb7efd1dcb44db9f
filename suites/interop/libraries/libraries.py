"""Python libraries that wrap the client libraries of several vendors: litellm, langchain and instructor against a gateway.

Settings in the environment: ASSAY_GATEWAY_URL, ASSAY_GATEWAY_KEY, ASSAY_MODEL (one that supports tools and images).
Optional: ASSAY_CONTROL_URL (to use faults of the simulator).
Exits with 1 at the first failed assertion.
"""

import asyncio
import json
import logging
import os
import sys
import urllib.parse
import urllib.request
import warnings
from importlib.metadata import version
from typing import Literal

# No library may call another host: litellm would load its list of prices, and langchain can send traces.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
os.environ["LANGSMITH_TRACING"] = os.environ["LANGCHAIN_TRACING_V2"] = "false"
os.environ["OTEL_SDK_DISABLED"] = "true"
looked_up = set()
sys.addaudithook(lambda event, given: looked_up.add(given[0]) if event == "socket.getaddrinfo" else None)

import anthropic
import instructor
import litellm
import openai
from instructor.core import InstructorRetryException
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_openai import ChatOpenAI
from pydantic import BaseModel, ConfigDict, Field

litellm.telemetry = False
# litellm puts its own class of usage into the last event of a response.
warnings.filterwarnings("ignore", message="Pydantic serializer warnings", category=UserWarning)
litellm.suppress_debug_info = True
logging.getLogger("instructor").setLevel(logging.CRITICAL)

URL = os.environ["ASSAY_GATEWAY_URL"]
KEY = os.environ["ASSAY_GATEWAY_KEY"]
MODEL = os.environ["ASSAY_MODEL"]
CONTROL = os.environ.get("ASSAY_CONTROL_URL")

# The gateway expects a bearer key at the messages endpoint, and its own name for the version header. The wrappers
# demand a key of the vendor's own form as well; the gateway ignores it.
VERSION = {"svc-version": "2023-06-01"}
BEARER = {"Authorization": f"Bearer {KEY}", **VERSION}
UNUSED = "unused"
# An image of 2 by 1 pixels.
GIF = "R0lGODlhAgABAIAAAAAAAP///yH5BAEAAAAALAAAAAACAAEAAAICBAoAOw=="
PARAMETERS = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
        "days": {"type": "integer", "minimum": 1, "maximum": 7},
    },
    "required": ["city", "unit", "days"],
    "additionalProperties": False,
}
TOOLS = [{"type": "function", "function": {"name": "weather", "description": "A forecast", "parameters": PARAMETERS}}]
MESSAGES_TOOLS = [{"name": "weather", "description": "A forecast", "input_schema": PARAMETERS}]
ABOUT = "Tell me about lighthouses"
QUESTION = "How will the weather be in Lisbon?"
FOUND = "18 degrees and clear"
USAGE = ("prompt_tokens", "completion_tokens", "total_tokens")
IMAGE = [
    {"type": "text", "text": "What is this?"},
    {"type": "image_url", "image_url": {"url": f"data:image/gif;base64,{GIF}"}},
]


class Forecast(BaseModel):
    """A forecast"""

    model_config = ConfigDict(extra="forbid")

    city: str
    unit: Literal["celsius", "fahrenheit"]
    days: int = Field(ge=1, le=7)


def ask(content):
    return [{"role": "user", "content": content}]


def post(path, body):
    """What the gateway returns without any library."""
    headers = {"content-type": "application/json", **BEARER}
    request = urllib.request.Request(f"{URL}{path}", json.dumps({"model": MODEL, **body}).encode(), headers)
    with urllib.request.urlopen(request) as reply:
        return json.load(reply)


def sound(text, usage):
    assert "lighthouses" in text, text
    asked, answered, total = usage
    assert asked > 0 and answered > 0 and total == asked + answered, usage


def only(calls):
    assert calls and len(calls) == 1, f"one call is expected, not {calls}"
    return calls[0]


def fits(arguments):
    Forecast.model_validate(arguments, strict=True)


def sees(text):
    assert "image/gif" in text and "43 bytes" in text and "2 by 1" in text, text


def raises(kind, status, call):
    try:
        call()
    except kind as error:
        assert error.status_code == status, (error.status_code, error)
        return error
    raise AssertionError(f"expected {kind.__name__}, but the call succeeded")


def lite(endpoint="openai", key=KEY, **more):
    """litellm names the wire format in the model and takes the base address of each vendor's client."""
    where = {"api_base": f"{URL}/v1", "api_key": key}
    if endpoint == "anthropic":
        where = {"api_base": URL, "api_key": UNUSED, "extra_headers": {**VERSION, "Authorization": f"Bearer {key}"}}
    where = {"model": f"{endpoint}/{MODEL}", "max_tokens": 500, "max_retries": 0, "timeout": 30, **where, **more}
    return litellm.completion(**where)


def lite_usage(reply):
    return tuple(getattr(reply.usage, name) for name in USAGE)


def lite_format(endpoint):
    """The calls that litellm has for both wire formats, in the form of the chat endpoint."""
    reply = lite(endpoint, messages=ask(ABOUT))
    text, usage = reply.choices[0].message.content, lite_usage(reply)
    sound(text, usage)
    assert reply.choices[0].finish_reason == "stop" and reply.model == MODEL, reply
    if endpoint == "openai":
        said = post("/v1/chat/completions", {"messages": ask(ABOUT), "max_tokens": 500})
        assert text == said["choices"][0]["message"]["content"], said
        assert usage == tuple(said["usage"][name] for name in USAGE), said
    short = lite(endpoint, messages=ask(ABOUT), max_tokens=2)
    assert short.choices[0].finish_reason == "length" and short.usage.completion_tokens == 2, short

    chunks = list(lite(endpoint, messages=ask(ABOUT), stream=True, stream_options={"include_usage": True}))
    pieces = [choice.delta.content for chunk in chunks for choice in chunk.choices if choice.delta.content]
    assert len(pieces) > 3 and "".join(pieces) == text, pieces
    whole = litellm.stream_chunk_builder(chunks)
    assert whole.choices[0].message.content == text and whole.choices[0].finish_reason == "stop", whole
    assert lite_usage(whole) == usage, (whole, usage)

    called = lite(endpoint, messages=ask(QUESTION), tools=TOOLS)
    message = called.choices[0].message
    assert called.choices[0].finish_reason == "tool_calls", called
    call = only(message.tool_calls)
    assert call.function.name == "weather" and call.id, call
    arguments = json.loads(call.function.arguments)
    fits(arguments)
    streamed = litellm.stream_chunk_builder(list(lite(endpoint, messages=ask(QUESTION), tools=TOOLS, stream=True)))
    assert streamed.choices[0].finish_reason == "tool_calls", streamed
    again = only(streamed.choices[0].message.tool_calls)
    assert again.function.name == "weather" and again.id, again
    assert json.loads(again.function.arguments) == arguments, (again, arguments)
    turns = [*ask(QUESTION), message, {"role": "tool", "tool_call_id": call.id, "content": FOUND}]
    answer = lite(endpoint, messages=turns, tools=TOOLS)
    assert FOUND in answer.choices[0].message.content and answer.choices[0].finish_reason == "stop", answer

    sees(lite(endpoint, messages=ask(IMAGE)).choices[0].message.content)

    unknown = {"model": f"{endpoint}/no-such-model", "messages": ask("Hello")}
    error = raises(litellm.NotFoundError, 404, lambda: lite(endpoint, **unknown))
    assert "unknown model" in error.message, error
    raises(litellm.AuthenticationError, 401, lambda: lite(endpoint, key="sk-wrong", messages=ask("Hello")))


def lite_more():
    """The endpoints that litellm calls in their own form."""
    where = {"api_base": f"{URL}/v1", "api_key": KEY, "timeout": 30}
    reply = litellm.responses(model=f"openai/{MODEL}", input=ABOUT, **where)
    assert "lighthouses" in reply.output[0].content[0].text and reply.status == "completed", reply
    events = list(litellm.responses(model=f"openai/{MODEL}", input=ABOUT, stream=True, **where))
    pieces = [event.delta for event in events if event.type == "response.output_text.delta"]
    assert len(pieces) > 3 and "".join(pieces) == reply.output[0].content[0].text, pieces
    assert events[-1].type == "response.completed", events[-1]
    prompted = litellm.text_completion(model=f"text-completion-openai/{MODEL}", prompt=ABOUT, **where)
    assert "lighthouses" in prompted.choices[0].text and prompted.usage.total_tokens > 0, prompted
    wanted = {"type": "json_schema", "json_schema": {"name": "forecast", "schema": PARAMETERS}}
    fits(json.loads(lite(messages=ask(QUESTION), response_format=wanted).choices[0].message.content))


async def lite_messages():
    """litellm calls the messages endpoint in its own form only without blocking."""

    def create(**more):
        where = {"model": f"anthropic/{MODEL}", "api_base": URL, "api_key": UNUSED, "extra_headers": BEARER}
        return litellm.anthropic.messages.acreate(**{**where, "max_tokens": 500, "timeout": 30, **more})

    reply = await create(messages=ask(ABOUT))
    written = post("/v1/messages", {"messages": ask(ABOUT), "max_tokens": 500})
    assert reply["content"][0]["text"] == written["content"][0]["text"] and reply["stop_reason"] == "end_turn", reply
    assert reply["usage"] == written["usage"] and "lighthouses" in written["content"][0]["text"], (reply, written)
    called = await create(messages=ask(QUESTION), tools=MESSAGES_TOOLS)
    call = called["content"][-1]
    assert called["stop_reason"] == "tool_use" and call["name"] == "weather", called
    fits(call["input"])
    result = {"type": "tool_result", "tool_use_id": call["id"], "content": FOUND}
    turns = [*ask(QUESTION), {"role": "assistant", "content": called["content"]}, *ask([result])]
    answer = await create(messages=turns, tools=MESSAGES_TOOLS)
    assert FOUND in answer["content"][0]["text"], answer


def chain_openai(model=MODEL, key=KEY, **more):
    return ChatOpenAI(base_url=f"{URL}/v1", model=model, api_key=key, max_retries=0, timeout=30, stream_usage=True, **more)


def chain_anthropic(model=MODEL, key=KEY):
    headers = {**VERSION, "Authorization": f"Bearer {key}"}
    return ChatAnthropic(
        base_url=URL, model=model, api_key=UNUSED, max_tokens=500, max_retries=0, timeout=30, default_headers=headers
    )


def chain_usage(reply):
    usage = reply.usage_metadata
    return (usage["input_tokens"], usage["output_tokens"], usage["total_tokens"])


def chain_format(chat, name, stopped, called, library):
    """langchain has one interface for both wire formats; the reason why a reply ends keeps its name."""
    model = chat()
    reply = model.invoke(ABOUT)
    text, usage = reply.text, chain_usage(reply)
    sound(text, usage)
    assert reply.response_metadata[name] == stopped, reply

    chunks = list(model.stream(ABOUT))
    pieces = [chunk.text for chunk in chunks if chunk.text]
    assert len(pieces) > 3 and "".join(pieces) == text, pieces
    whole = sum(chunks[1:], chunks[0])
    assert whole.response_metadata[name] == stopped, whole
    assert chain_usage(whole) == usage, (chain_usage(whole), usage)

    bound = model.bind_tools(TOOLS)
    turn = bound.invoke(QUESTION)
    assert turn.response_metadata[name] == called and not turn.invalid_tool_calls, turn
    call = only(turn.tool_calls)
    assert call["name"] == "weather" and call["id"], call
    arguments = call["args"]
    fits(arguments)
    parts = list(bound.stream(QUESTION))
    streamed = sum(parts[1:], parts[0])
    assert streamed.response_metadata[name] == called and not streamed.invalid_tool_calls, streamed
    again = only(streamed.tool_calls)
    assert again["name"] == "weather" and again["id"] and again["args"] == arguments, (again, arguments)
    for message in (turn, streamed):
        result = ToolMessage(FOUND, tool_call_id=message.tool_calls[0]["id"])
        answer = bound.invoke([HumanMessage(QUESTION), message, result])
        assert FOUND in answer.text and not answer.tool_calls, answer

    sees(model.invoke([HumanMessage(IMAGE)]).text)
    shaped = model.with_structured_output(Forecast, **({"method": "function_calling"} if library is openai else {}))
    assert isinstance(shaped.invoke(QUESTION), Forecast)

    raises(library.NotFoundError, 404, lambda: chat(model="no-such-model").invoke("Hello"))
    raises(library.AuthenticationError, 401, lambda: chat(key="sk-wrong").invoke("Hello"))


def chain_more():
    shaped = chain_openai().with_structured_output(Forecast, method="json_schema")
    assert isinstance(shaped.invoke(QUESTION), Forecast)
    reply = chain_openai(use_responses_api=True).invoke(ABOUT)
    assert "lighthouses" in reply.text and chain_usage(reply)[2] > 0, reply
    several = chain_openai().batch([ABOUT, "Tell me about bridges"])
    assert "lighthouses" in several[0].text and "bridges" in several[1].text, several


def typed_openai(mode=instructor.Mode.TOOLS, key=KEY):
    client = openai.OpenAI(base_url=f"{URL}/v1", api_key=key, max_retries=0, timeout=30)
    return instructor.from_openai(client, mode=mode)


def typed_anthropic(key=KEY):
    client = anthropic.Anthropic(
        base_url=URL, auth_token=key, api_key=None, max_retries=0, timeout=30, default_headers=VERSION
    )
    return instructor.from_anthropic(client)


def typed():
    """instructor returns a typed value. No call is tried again, so the first reply must fit the type."""
    wanted = {"model": MODEL, "messages": ask(QUESTION), "response_model": Forecast, "max_retries": 0}
    value, reply = typed_openai().create_with_completion(**wanted)
    call = only(reply.choices[0].message.tool_calls)
    assert call.function.name == "Forecast" and json.loads(call.function.arguments) == value.model_dump(), reply
    assert reply.usage.total_tokens == reply.usage.prompt_tokens + reply.usage.completion_tokens > 0, reply
    states = list(typed_openai().create_partial(**wanted))
    assert len(states) > 3 and states[0].city is None, states
    fits(states[-1].model_dump())
    several = list(typed_openai().create_iterable(**wanted))
    assert several and all(isinstance(value, Forecast) for value in several), several
    value, reply = typed_openai(instructor.Mode.JSON_SCHEMA).create_with_completion(**wanted)
    assert json.loads(reply.choices[0].message.content) == value.model_dump(), reply
    value, reply = typed_anthropic().create_with_completion(max_tokens=500, **wanted)
    assert reply.stop_reason == "tool_use" and reply.content[-1].input == value.model_dump(), reply

    for client, library, more in ((typed_openai, openai, {}), (typed_anthropic, anthropic, {"max_tokens": 500})):
        raises_inside(library.NotFoundError, 404, lambda: client().create(**{**wanted, **more, "model": "no-such-model"}))
        raises_inside(library.AuthenticationError, 401, lambda: client(key="sk-wrong").create(**wanted, **more))


def raises_inside(kind, status, call):
    """instructor's own exception has the client library's as its cause."""
    try:
        call()
    except InstructorRetryException as error:
        inner = error.__cause__
        assert isinstance(inner, kind) and inner.status_code == status, (type(inner), inner)
        return
    raise AssertionError(f"expected InstructorRetryException with {kind.__name__}, but the call succeeded")


def breaks(kind, stream):
    pieces = []
    try:
        for piece in stream:
            pieces.append(piece)
    except kind:
        assert pieces, "the stream must break midway"
        return
    raise AssertionError(f"expected {kind.__name__}, but the stream ended")


def faulty():
    """Failures that only a simulator can be asked for: no server answers, and a stream that breaks midway."""

    def faults(*names):
        body = json.dumps([{"fault": name} for name in names]).encode()
        headers = {"content-type": "application/json"}
        request = urllib.request.Request(f"{CONTROL}/_sim/v1/faults", body, headers, method="PUT")
        urllib.request.urlopen(request).close()

    try:
        faults("gateway.server-down")
        raises(litellm.ServiceUnavailableError, 503, lambda: lite(messages=ask(ABOUT)))
        raises(openai.InternalServerError, 503, lambda: chain_openai().invoke(ABOUT))
        raises(anthropic.InternalServerError, 503, lambda: chain_anthropic().invoke(ABOUT))
        wanted = {"model": MODEL, "messages": ask(QUESTION), "response_model": Forecast, "max_retries": 0}
        raises_inside(openai.InternalServerError, 503, lambda: typed_openai().create(**wanted))
        faults("gateway.stream-error-event")
        breaks(litellm.exceptions.MidStreamFallbackError, lite(messages=ask(ABOUT), stream=True))
        breaks(openai.APIError, chain_openai().stream(ABOUT))
        breaks(anthropic.APIError, chain_anthropic().stream(ABOUT))
    finally:
        faults()


def main():
    lite_format("openai")
    lite_format("anthropic")
    lite_more()
    asyncio.run(lite_messages())
    chain_format(chain_openai, "finish_reason", "stop", "tool_calls", openai)
    chain_format(chain_anthropic, "stop_reason", "end_turn", "tool_use", anthropic)
    chain_more()
    typed()
    if CONTROL:
        faulty()
    hosts = {urllib.parse.urlsplit(url).hostname for url in (URL, CONTROL) if url}
    assert looked_up == hosts, f"other hosts were called: {looked_up - hosts}"
    names = ("litellm", "langchain-openai", "langchain-anthropic", "instructor")
    print(f"{', '.join(f'{name} {version(name)}' for name in names)} for Python: OK")


main()
