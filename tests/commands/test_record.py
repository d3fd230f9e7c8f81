"""``streamproof record``: a real client talks through it, and its session is replayed."""

from pathlib import Path
from typing import Any

from openai import OpenAI
from openai.types.responses import ResponseCompletedEvent

from conformance.suite.upstream import Upstream
from mockserver.cases.case import Case
from mockserver.cases.catalogue import Catalogue, read_file
from tests.captures.record_process import recording
from tests.commands import call

SAID = "What is the weather in Oslo?"


def talked(url: str) -> list[str]:
    """The types of the events that OpenAI's client gets in a conversation of two rounds."""
    client = OpenAI(base_url=url, api_key="sk-abcdefghijklmnopqrstuv", max_retries=0)
    said: list[Any] = [{"role": "user", "content": SAID}]
    types: list[str] = []
    for _ in range(2):
        for event in client.responses.create(model="m", input=said, stream=True):
            types.append(event.type)
            if isinstance(event, ResponseCompletedEvent):
                said += [item.to_dict() for item in event.response.output]
        said += [
            {"type": "function_call_output", "call_id": item["call_id"], "output": "-4 degrees"}
            for item in said
            if item.get("type") == "function_call"
        ]
    return types


def test_a_session_of_a_real_client_is_recorded_and_replayed(tmp_path: Path) -> None:
    name = "s/any/conversation-two-rounds/v1"
    with Upstream(Catalogue.shipped()) as upstream:
        with recording(tmp_path, upstream.url) as proxy:
            types = talked(f"{proxy.url}/{name}")
        assert proxy.code == 0, proxy.err
        assert f"2 captures, 1 scenario in {tmp_path}" in proxy.out
        file = tmp_path / "recorded" / "0001.yaml"
        scenario = read_file(file, "recorded/0001")
        run = upstream.open(Case(scenario, "openresponses"))
        assert talked(f"{upstream.url}{run.path}") == types
    assert scenario.host.user == SAID
    assert call("lint", file).code == 0
    assert call("show", file, "--reference").code == 0
    captures = sorted((tmp_path / "captures").iterdir())
    assert call("import", *captures).out.count("  - sends:") == 2
    assert not any("sk-abc" in path.read_text() for path in (file, *captures))


def test_an_upstream_that_is_no_url_exits_with_4(tmp_path: Path) -> None:
    ran = call("record", "--upstream", "api.openai.com", "--out", tmp_path / "x")
    assert ran.code == 4
    assert "is not the URL of an HTTP server" in ran.err
