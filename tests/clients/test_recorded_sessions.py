"""What OpenAI's Node client reads through the recording proxy, it reads again of the recording."""

from pathlib import Path

from conformance.suite.upstream import Upstream
from mockserver.cases.case import Case
from mockserver.cases.catalogue import read_file
from tests.captures.record_process import recording
from tests.clients.node_client import Api, NodeClient

WAIT = 30.0
DIALECTS: dict[str, Api] = {"openresponses": "responses", "chat": "chat"}
SCENARIOS = ("any/text-and-call-interleave", "any/reasoning", "any/status-500-then-stream")


def test_a_recorded_stream_is_read_as_the_stream_itself(
    upstream: Upstream, node: NodeClient, tmp_path: Path
) -> None:
    asked = [(api, name) for name in SCENARIOS for api in DIALECTS.values()]
    with recording(tmp_path, upstream.url) as proxy:
        read = [
            node.ask("raw", f"{proxy.url}/s/{name}/v1", api).result(WAIT) for api, name in asked
        ]
    assert proxy.code == 0, proxy.err
    files = sorted((tmp_path / "recorded").iterdir())
    assert len(files) == len(asked)
    for file, (api, _), before in zip(files, asked, read, strict=True):
        scenario = read_file(file, f"recorded/{file.stem}")
        (dialect,) = scenario.dialects
        assert DIALECTS[dialect] == api
        run = upstream.open(Case(scenario, dialect))
        again = node.ask("raw", f"{upstream.url}{run.path}", api).result(WAIT)
        assert {**again, "id": 0} == {**before, "id": 0}, file.read_text()
