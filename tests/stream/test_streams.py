"""Streams in the tables of dialects: legal ones break no rule, broken ones break their own."""

import pytest

from conformance.dialects import KIT
from conformance.dialects.recognition import recognise_dialect
from conformance.dialects.recording import read_dump
from conformance.rules.streams import judge_stream
from tests.stream import lines_of
from tests.stream.tables import Stream, base_streams, broken_streams, json_lines, legal_streams


def _judge(stream: Stream, data: bytes) -> list[tuple[str, str]]:
    dump = read_dump(data, "stream")
    findings = judge_stream(dump.events, dump.framing, stream.dialect)
    print(*lines_of(findings), sep="\n")
    return sorted((finding.rule, finding.level) for finding in findings)


@pytest.mark.parametrize("dialect", KIT)
def test_a_legal_stream_breaks_no_rule(dialect: str) -> None:
    for stream in legal_streams():
        if stream.dialect == dialect:
            assert _judge(stream, stream.data) == [], stream


@pytest.mark.parametrize("stream", base_streams(), ids=str)
def test_a_legal_stream_is_recognised_and_breaks_no_rule_as_json_lines(stream: Stream) -> None:
    lines = json_lines(stream.events)
    for data in (stream.data, lines):
        assert recognise_dialect(read_dump(data, "stream").events) == stream.dialect
    assert _judge(stream, lines) == []


@pytest.mark.parametrize("dialect", KIT)
def test_a_broken_stream_breaks_its_rule_and_no_other(dialect: str) -> None:
    for stream in broken_streams():
        if stream.dialect == dialect:
            assert _judge(stream, stream.data) == stream.findings, stream


def test_a_change_of_a_stream_changes_it() -> None:
    whole = {stream.data for stream in base_streams()}
    others = [
        stream for stream in (*legal_streams(), *broken_streams()) if stream not in base_streams()
    ]
    assert [str(stream) for stream in others if stream.data in whole] == []


@pytest.mark.parametrize("dialect", KIT)
def test_done_without_its_end_hides_no_other_finding(dialect: str) -> None:
    for stream in broken_streams():
        if stream.dialect != dialect or stream.wire.cut:
            continue
        end = stream.wire.newline.encode() * 2
        done = b"" if stream.data.endswith(b"data: [DONE]" + end) else b"data: [DONE]" + end
        whole = stream.data + done
        expected = sorted([*_judge(stream, whole), ("framing", "must")])
        for cut in (whole.removesuffix(end), whole[: -len(end) // 2]):
            assert _judge(stream, cut) == expected, stream


@pytest.mark.parametrize("dialect", KIT)
def test_every_rule_has_a_stream_that_breaks_it(dialect: str) -> None:
    found = {stream.rule for stream in broken_streams() if stream.dialect == dialect}
    assert {rule.id for rule in KIT[dialect].legality.rules} == found
    assert any(stream.dialect == dialect for stream in base_streams())
