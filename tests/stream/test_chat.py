"""Streams of chunks as servers were recorded to send them."""

import pytest

from tests.clients.chunks import is_invalid
from tests.data import DATA, needs_data
from tests.stream import judged, lines_of
from tests.stream.tables import Stream, base_streams


@pytest.mark.parametrize("stream", [s for s in base_streams() if s.dialect == "chat"], ids=str)
def test_the_streams_of_these_tests_satisfy_the_published_schema_of_openai(stream: Stream) -> None:
    assert not any(is_invalid(event) for event in stream.events if "error" not in event)


RECORDED = {
    # The chunk with the prompt's filter results is not a valid chunk: its id is empty.
    "azure-model-router.1": [("chunk-types", "must")],
    "deepseek-tool-call": [("usage-once", "must")],
    "groq-text": [("chunk-stable", "must"), ("usage-once", "must")],
    "groq-tool-call": [("usage-once", "must")],
    # Its content is a list.
    "mistral-reasoning": [("chunk-types", "must"), ("usage-once", "must")],
    # Its one call has no index.
    "mistral-tool-call": [("chunk-types", "must")],
    # No chunk has an object.
    "moonshot": [("chunk-types", "must")],
    "xai-tool-call": [("chunk-stable", "must")],
}


@needs_data
@pytest.mark.parametrize("name", RECORDED)
def test_a_recorded_stream_of_chunks_breaks_the_known_rules_of_its_server(name: str) -> None:
    findings = judged((DATA / "recordings" / f"{name}.chat.jsonl").read_bytes())
    assert [(f.rule, f.level) for f in findings] == RECORDED[name], lines_of(findings)


@needs_data
def test_the_table_has_every_recorded_stream_of_chunks() -> None:
    names = {path.name for path in (DATA / "recordings").glob("*.chat.jsonl")}
    assert names == {f"{name}.chat.jsonl" for name in RECORDED}
