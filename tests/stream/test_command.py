"""``streamproof judge --stream``: input files, output and exit codes."""

import json
from pathlib import Path

import pytest

from tests.commands import Called, call
from tests.data import DATA, needs_data
from tests.stream import LEGAL, WIRE, Events, Wire, json_lines, numbered
from tests.stream.tables import Stream, broken_streams, changed

RECORDINGS = DATA / "recordings"

BROKEN = numbered(changed(LEGAL, {"edit": {"response.output_text.delta": {"delta": "It was "}}}))


def _judge(*options: str, given: bytes = b"") -> Called:
    return call("judge", *options, given=given)


def _file(folder: Path, data: bytes) -> str:
    file = folder / "stream.sse"
    file.write_bytes(data)
    return str(file)


def test_a_legal_stream_is_shown_event_by_event_and_exits_with_0(tmp_path: Path) -> None:
    file = _file(tmp_path, WIRE.bytes(numbered(LEGAL)))
    ran = _judge("--stream", file)
    lines = ran.out.splitlines()
    assert ran.code == 0
    assert lines[1].split() == ["0", "created"]
    assert lines[12].split() == ["11", "output_text.delta", "[1]", "'It", "is", "'"]
    assert lines[len(LEGAL) + 1].split() == [str(len(LEGAL)), "[DONE]"]
    events = f"{len(LEGAL) + 1} events of openresponses"
    assert lines[-1] == f"{file}: {events}: 0 findings, 0 of level must"


def test_a_finding_is_shown_below_its_event_and_exits_with_1(tmp_path: Path) -> None:
    ran = _judge("--stream", _file(tmp_path, WIRE.bytes(BROKEN)))
    lines = ran.out.splitlines()
    (place,) = (n for n, line in enumerate(lines) if "✗" in line)
    assert ran.code == 1
    assert lines[place].strip().startswith("✗ delta-sums (must): part 0 in the content of the")
    assert lines[place - 1].split()[:2] == ["14", "output_text.done"]
    assert "right: the same text everywhere: the deltas joined" in ran.out
    assert lines[-1].endswith(": 1 finding, 1 of level must")


def test_findings_of_level_should_exit_with_0(tmp_path: Path) -> None:
    ran = _judge("--stream", _file(tmp_path, Wire(names=False).bytes(numbered(LEGAL))))
    assert ran.code == 0
    assert "framing (should): no event: line stands before the data of" in ran.out
    assert ran.out.rstrip().endswith(": 1 finding, 0 of level must")


def test_a_finding_without_an_event_is_shown_at_the_end(tmp_path: Path) -> None:
    head = "HTTP/1.1 200 OK\nContent-Type: application/json\n\n"
    ran = _judge("--stream", _file(tmp_path, Wire(before=head).bytes(numbered(LEGAL))))
    assert ran.code == 1
    assert "framing (must): the response says that it is application/json" in ran.out


def test_findings_are_printed_as_json(tmp_path: Path) -> None:
    file = _file(tmp_path, WIRE.bytes(BROKEN))
    ran = _judge("--stream", file, "--json")
    printed = json.loads(ran.out)
    assert ran.code == 1
    assert (printed["stream"], printed["events"], printed["framing"]) == (
        file,
        len(LEGAL) + 1,
        True,
    )
    assert (printed["dialect"], printed["responses"]) == ("openresponses", 1)
    assert [(f["rule"], f["level"], f["event"]) for f in printed["findings"]] == [
        ("delta-sums", "must", 14)
    ]


def test_a_stream_is_read_from_standard_input() -> None:
    ran = _judge("--stream", "-", given=WIRE.bytes(BROKEN))
    assert ran.code == 1
    assert "delta-sums" in ran.out


def test_control_characters_of_an_upstream_are_not_printed(tmp_path: Path) -> None:
    data = WIRE.bytes(numbered(LEGAL)) + b": \x1b[2J\n\nevent: x\ndata: \x1b]0;x\x07\n\n"
    ran = _judge("--stream", _file(tmp_path, data))
    assert ran.code == 1
    assert "\x1b" not in ran.out


@needs_data
@pytest.mark.parametrize(
    ("name", "code", "message"),
    [
        ("lmstudio-basic.1", 0, "290 events of openresponses without their framing: 0 findings"),
        ("openai-web-search-tool.1", 1, "extensions (must): the item type 'web_search_call'"),
    ],
)
def test_a_recording_is_judged(name: str, code: int, message: str) -> None:
    ran = _judge("--stream", str(RECORDINGS / f"{name}.jsonl"))
    assert ran.code == code
    assert message in ran.out


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the stream is empty, so nothing says which dialect it is in"),
        (b": ping\n\n", "the stream has no event that is a JSON object, so nothing says which"),
        (b"<html></html>\n", "this is no stream"),
        (b'{"type"\n', "this is no stream: nothing in it is JSON"),
        (b'{"answers": []}\n', "of no dialect that streamproof plays: {answers}"),
        (b'data: {"type": "error"}\n\n', "it plays openresponses, chat, vercel-gateway, vercel-"),
        (b'data: {"type": "error"}\n\n', "name it with --dialect, or dialect= in Python, if it"),
    ],
)
def test_a_file_that_is_no_stream_exits_with_4(tmp_path: Path, data: bytes, message: str) -> None:
    ran = _judge("--stream", _file(tmp_path, data))
    assert ran.code == 4
    assert ran.out == ""
    assert message in ran.err
    assert "Traceback" not in ran.err


def test_a_missing_file_exits_with_4(tmp_path: Path) -> None:
    ran = _judge("--stream", str(tmp_path / "nowhere"))
    assert ran.code == 4
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("stream", [s for s in broken_streams() if not s.events], ids=str)
def test_an_empty_stream_breaks_a_rule_of_the_given_dialect(tmp_path: Path, stream: Stream) -> None:
    file = _file(tmp_path, stream.data)
    printed = json.loads(_judge("--stream", file, "--dialect", stream.dialect, "--json").out)
    assert [f["rule"] for f in printed["findings"]] == [stream.rule]


def test_an_unknown_dialect_exits_with_4(tmp_path: Path) -> None:
    ran = _judge("--stream", _file(tmp_path, WIRE.bytes(BROKEN)), "--dialect", "openresponse")
    assert ran.code == 4
    assert "no dialect is called 'openresponse'" in ran.err
    assert "did you mean 'openresponses'?" in ran.err


def test_a_broken_line_of_json_lines_is_a_finding(tmp_path: Path) -> None:
    lines = json_lines(numbered(LEGAL)).splitlines(keepends=True)
    file = _file(tmp_path, b"".join([*lines[:3], b'{"type": "respon\n', *lines[3:]]))
    printed = json.loads(_judge("--stream", file, "--json").out)
    (finding,) = printed["findings"]
    assert (finding["rule"], finding["level"], finding["event"]) == ("framing", "must", 3)
    assert finding["message"].startswith("the data is not JSON")


def test_several_responses_in_one_file_are_judged_separately(tmp_path: Path) -> None:
    first, second = numbered(LEGAL), numbered(_renamed("resp_2", BROKEN))
    data = WIRE.bytes(first) + WIRE.bytes(second) + WIRE.bytes(numbered(_renamed("resp_3", LEGAL)))
    ran = _judge("--stream", _file(tmp_path, data), "--json")
    printed = json.loads(ran.out)
    assert printed["responses"] == 3
    # The finding about the second response, at its place in the file.
    assert [(f["rule"], f["event"]) for f in printed["findings"]] == [
        ("delta-sums", len(LEGAL) + 1 + 14)
    ]
    shown = _judge("--stream", _file(tmp_path, data)).out
    assert f"{3 * (len(LEGAL) + 1)} events of openresponses in 3 responses: 1 finding" in shown


def _renamed(id_: str, events: Events) -> Events:
    renamed: Events = json.loads(json.dumps(events).replace(LEGAL[0]["response"]["id"], id_))
    return renamed
