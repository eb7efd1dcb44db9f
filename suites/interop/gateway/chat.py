"""The Python client libraries of both wire formats against an inference gateway.

Settings in the environment: ASSAY_GATEWAY_URL, ASSAY_GATEWAY_KEY, ASSAY_MODEL (one that supports tools and images).
Optional: ASSAY_CA_FILE (to call the servers as well) and ASSAY_CONTROL_URL (to use faults of the simulator).
Exits with 1 at the first failed assertion.
"""

import json
import os
import ssl
import urllib.request

import anthropic
import openai

URL = os.environ["ASSAY_GATEWAY_URL"]
KEY = os.environ["ASSAY_GATEWAY_KEY"]
MODEL = os.environ["ASSAY_MODEL"]
CA_FILE = os.environ.get("ASSAY_CA_FILE")
CONTROL = os.environ.get("ASSAY_CONTROL_URL")

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
QUESTION = "How will the weather be in Lisbon?"
FOUND = "18 degrees and clear"


def chat_client(url=URL, key=KEY, **more):
    return openai.OpenAI(base_url=f"{url}/v1", api_key=key, max_retries=0, timeout=30, **more)


def messages_client(url=URL, key=KEY, **more):
    # The gateway expects a bearer key, and its own name for the version header.
    headers = {"svc-version": "2023-06-01"}
    return anthropic.Anthropic(
        base_url=url, auth_token=key, api_key=None, max_retries=0, timeout=30, default_headers=headers, **more
    )


def fits(arguments):
    assert set(arguments) == {"city", "unit", "days"}, arguments
    assert isinstance(arguments["city"], str) and arguments["unit"] in ("celsius", "fahrenheit"), arguments
    assert isinstance(arguments["days"], int) and 1 <= arguments["days"] <= 7, arguments


def ask(text):
    return [{"role": "user", "content": text}]


def chat(client):
    reply = client.chat.completions.create(model=MODEL, messages=ask("Tell me about lighthouses"))
    assert "lighthouses" in reply.choices[0].message.content, reply
    assert reply.choices[0].finish_reason == "stop" and reply.object == "chat.completion", reply
    assert reply.usage.total_tokens == reply.usage.prompt_tokens + reply.usage.completion_tokens > 0, reply
    parts = [{"type": "text", "text": "Tell me about"}, {"type": "text", "text": "lighthouses"}]
    assert client.chat.completions.create(model=MODEL, messages=ask(parts)).choices[0].message.content
    short = client.chat.completions.create(model=MODEL, messages=ask("Tell me about lighthouses"), max_tokens=2)
    assert short.choices[0].finish_reason == "length" and short.usage.completion_tokens == 2, short
    return reply.choices[0].message.content


def chat_stream(client, whole):
    chunks = list(
        client.chat.completions.create(
            model=MODEL,
            messages=ask("Tell me about lighthouses"),
            stream=True,
            stream_options={"include_usage": True},
        )
    )
    pieces = [choice.delta.content for chunk in chunks for choice in chunk.choices if choice.delta.content]
    assert len(pieces) > 3 and "".join(pieces) == whole, pieces
    assert chunks[0].choices[0].delta.role == "assistant" and chunks[-1].usage.total_tokens > 0, chunks
    with client.chat.completions.stream(model=MODEL, messages=ask("Tell me about lighthouses")) as stream:
        stream.until_done()
        assert stream.get_final_completion().choices[0].message.content == whole


def chat_tools(client):
    tools = [{"type": "function", "function": {"name": "weather", "description": "A forecast", "parameters": PARAMETERS}}]
    reply = client.chat.completions.create(model=MODEL, messages=ask(QUESTION), tools=tools)
    message = reply.choices[0].message
    assert reply.choices[0].finish_reason == "tool_calls" and len(message.tool_calls) == 1, reply
    call = message.tool_calls[0]
    assert call.function.name == "weather" and call.id, call
    fits(json.loads(call.function.arguments))
    with client.chat.completions.stream(model=MODEL, messages=ask(QUESTION), tools=tools) as stream:
        stream.until_done()
        streamed = stream.get_final_completion().choices[0].message.tool_calls[0]
    assert json.loads(streamed.function.arguments) == json.loads(call.function.arguments), streamed
    turns = [*ask(QUESTION), message, {"role": "tool", "tool_call_id": call.id, "content": FOUND}]
    answer = client.chat.completions.create(model=MODEL, messages=turns, tools=tools)
    assert FOUND in answer.choices[0].message.content, answer


def chat_image(client):
    image = {"type": "image_url", "image_url": {"url": f"data:image/gif;base64,{GIF}"}}
    parts = [{"type": "text", "text": "What is this?"}, image]
    seen = client.chat.completions.create(model=MODEL, messages=ask(parts)).choices[0].message.content
    assert "image/gif" in seen and "43 bytes" in seen and "2 by 1" in seen, seen


def chat_json(client):
    wanted = {"type": "json_schema", "json_schema": {"name": "forecast", "schema": PARAMETERS}}
    reply = client.chat.completions.create(model=MODEL, messages=ask(QUESTION), response_format=wanted)
    fits(json.loads(reply.choices[0].message.content))


def completions(client):
    reply = client.completions.create(model=MODEL, prompt="Tell me about lighthouses")
    assert "lighthouses" in reply.choices[0].text and reply.object == "text_completion", reply
    chunks = client.completions.create(model=MODEL, prompt="Tell me about lighthouses", stream=True)
    pieces = [chunk.choices[0].text for chunk in chunks]
    assert len(pieces) > 3 and "".join(pieces) == reply.choices[0].text, pieces
    two = client.completions.create(model=MODEL, prompt=["Tell me about lighthouses", "And bridges"])
    assert [choice.index for choice in two.choices] == [0, 1] and "bridges" in two.choices[1].text, two


def responses(client):
    reply = client.responses.create(model=MODEL, input="Tell me about lighthouses")
    assert "lighthouses" in reply.output_text and reply.status == "completed", reply
    with client.responses.stream(model=MODEL, input="Tell me about lighthouses") as stream:
        events = list(stream)
        final = stream.get_final_response()
    names = [event.type for event in events]
    assert names[0] == "response.created" and names[-1] == "response.completed", names
    pieces = [event.delta for event in events if event.type == "response.output_text.delta"]
    assert len(pieces) > 3 and "".join(pieces) == reply.output_text == final.output_text, pieces
    tools = [{"type": "function", "name": "weather", "parameters": PARAMETERS, "strict": True}]
    called = client.responses.create(model=MODEL, input=QUESTION, tools=tools)
    call = called.output[0]
    assert call.type == "function_call" and call.name == "weather", called
    fits(json.loads(call.arguments))
    with client.responses.stream(model=MODEL, input=QUESTION, tools=tools) as stream:
        stream.until_done()
        assert json.loads(stream.get_final_response().output[0].arguments) == json.loads(call.arguments)
    result = {"type": "function_call_output", "call_id": call.call_id, "output": FOUND}
    turns = [*ask(QUESTION), *called.output, result]
    assert FOUND in client.responses.create(model=MODEL, input=turns, tools=tools).output_text
    image = {"type": "input_image", "detail": "auto", "image_url": f"data:image/gif;base64,{GIF}"}
    parts = [{"type": "input_text", "text": "What is this?"}, image]
    assert "43 bytes" in client.responses.create(model=MODEL, input=ask(parts)).output_text
    short = client.responses.create(model=MODEL, input="Tell me about lighthouses", max_output_tokens=2)
    assert (short.status, short.incomplete_details.reason) == ("incomplete", "max_output_tokens"), short


def messages(client):
    def create(messages, **more):
        return client.messages.create(model=MODEL, max_tokens=500, messages=messages, **more)

    reply = create(ask("Tell me about lighthouses"), system="Be kind")
    assert "lighthouses" in reply.content[0].text and reply.stop_reason == "end_turn", reply
    assert reply.usage.input_tokens > 0 and reply.usage.output_tokens > 0, reply
    short = client.messages.create(model=MODEL, max_tokens=2, messages=ask("Tell me about lighthouses"))
    assert short.stop_reason == "max_tokens" and short.usage.output_tokens == 2, short
    with client.messages.stream(
        model=MODEL, max_tokens=500, messages=ask("Tell me about lighthouses"), system="Be kind"
    ) as stream:
        pieces = list(stream.text_stream)
        final = stream.get_final_message()
    assert len(pieces) > 3 and "".join(pieces) == final.content[0].text == reply.content[0].text, pieces
    assert final.stop_reason == "end_turn" and final.usage.output_tokens == reply.usage.output_tokens, final
    tools = [{"name": "weather", "description": "A forecast", "input_schema": PARAMETERS}]
    called = create(ask(QUESTION), tools=tools)
    call = called.content[-1]
    assert called.stop_reason == "tool_use" and call.type == "tool_use" and call.name == "weather", called
    fits(call.input)
    with client.messages.stream(model=MODEL, max_tokens=500, messages=ask(QUESTION), tools=tools) as stream:
        assert stream.get_final_message().content[-1].input == call.input
    result = {"type": "tool_result", "tool_use_id": call.id, "content": FOUND}
    turns = [*ask(QUESTION), {"role": "assistant", "content": called.content}, *ask([result])]
    assert FOUND in create(turns, tools=tools).content[0].text
    source = {"type": "base64", "media_type": "image/gif", "data": GIF}
    parts = [{"type": "text", "text": "What is this?"}, {"type": "image", "source": source}]
    assert "43 bytes" in create(ask(parts)).content[0].text


def models(client, other):
    with urllib.request.urlopen(f"{URL}/svc/models") as reply:
        discovered = json.load(reply)
    listed = {model.id for model in client.models.list()}
    assert listed == set(discovered) and MODEL in listed, (listed, discovered)
    assert {model.id for model in other.models.list()} == listed
    return [url for url in discovered[MODEL]["servers"] if url.startswith("http")]


def raises(kind, call):
    try:
        call()
    except kind as error:
        return error
    raise AssertionError(f"expected {kind.__name__}, but the call succeeded")


def errors(client, other):
    wrong, other_wrong = chat_client(key="sk-wrong"), messages_client(key="sk-wrong")
    calls = [
        (lambda c, **m: c.chat.completions.create(**{"model": MODEL, "messages": ask("Hello"), **m}), openai, client, wrong),
        (lambda c, **m: c.responses.create(**{"model": MODEL, "input": "Hello", **m}), openai, client, wrong),
        (lambda c, **m: c.completions.create(**{"model": MODEL, "prompt": "Hello", **m}), openai, client, wrong),
        (
            lambda c, **m: c.messages.create(**{"model": MODEL, "max_tokens": 9, "messages": ask("Hello"), **m}),
            anthropic,
            other,
            other_wrong,
        ),
    ]
    for call, library, right, wrong in calls:
        raises(library.AuthenticationError, lambda: call(wrong))
        error = raises(library.NotFoundError, lambda: call(right, model="no-such-model"))
        assert error.body.get("detail"), error.body
        raises(library.UnprocessableEntityError, lambda: call(right, extra_body={"model": ["no", "name"]}))


def broken_streams(client, other):
    def faults(faults):
        body = json.dumps(faults).encode()
        headers = {"content-type": "application/json"}
        request = urllib.request.Request(f"{CONTROL}/_sim/v1/faults", body, headers, method="PUT")
        urllib.request.urlopen(request).close()

    faults([{"fault": "gateway.stream-error-event"}])
    try:
        turns = ask("Tell me about lighthouses")
        raises(
            openai.APIError,
            lambda: list(client.chat.completions.create(model=MODEL, messages=turns, stream=True)),
        )
        raises(
            anthropic.APIError,
            lambda: list(other.messages.create(model=MODEL, max_tokens=500, messages=turns, stream=True)),
        )
        stream = client.responses.create(model=MODEL, input="Tell me about lighthouses", stream=True)
        assert [event.type for event in stream][-1] == "error"
    finally:
        faults([])


def direct(servers):
    context = ssl.create_default_context(cafile=CA_FILE)
    for url in servers:
        whole = chat(chat_client(url, http_client=openai.DefaultHttpxClient(verify=context)))
        chat_stream(chat_client(url, http_client=openai.DefaultHttpxClient(verify=context)), whole)
        messages(messages_client(url, http_client=anthropic.DefaultHttpxClient(verify=context)))


def main():
    client, other = chat_client(), messages_client()
    whole = chat(client)
    chat_stream(client, whole)
    chat_tools(client)
    chat_image(client)
    chat_json(client)
    completions(client)
    responses(client)
    messages(other)
    errors(client, other)
    servers = models(client, other)
    if CONTROL:
        broken_streams(client, other)
    if CA_FILE:
        assert servers, "no server is listed"
        direct(servers)
    print(f"openai {openai.__version__} and anthropic {anthropic.__version__} for Python: OK")


main()
