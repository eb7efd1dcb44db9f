import urllib.error
import urllib.request

import pytest
from openai import OpenAI

MODEL = {"id": "support", "answers": [{"contains": "refund", "text": "You get your money back within 14 days."}]}


def ask(sim, question):
    """The code under test: replace it with your own."""
    client = OpenAI(base_url=sim.gateway.url + "/v1", api_key=sim.gateway.key)
    response = client.chat.completions.create(model="support", messages=[{"role": "user", "content": question}])
    return response.choices[0].message.content


def test_the_model_gives_a_known_answer(assay_sim):
    assay_sim.action("gateway.models", models=[MODEL])
    assert ask(assay_sim, "How do I get a refund?") == "You get your money back within 14 days."
    (request,) = assay_sim.requests(path="/v1/chat/completions")
    assert request.request.body.json()["messages"][0]["role"] == "user"


def test_the_client_retries_when_all_servers_are_down(assay_sim):
    assay_sim.action("gateway.models", models=[MODEL])
    with assay_sim.fault("gateway.server-down", times=3):  # the model has three servers
        ask(assay_sim, "How do I get a refund?")
    assert [request.status for request in assay_sim.requests()] == [503, 200]


def test_the_window_ends_after_a_minute(assay_sim):
    assay_sim.limit("network.general-per-window", 1)
    url = assay_sim.network.url + "/api/v0/messages.json"
    urllib.request.urlopen(url).close()
    with pytest.raises(urllib.error.HTTPError, match="429"):
        urllib.request.urlopen(url)
    assay_sim.clock.advance("1m")
    urllib.request.urlopen(url).close()
