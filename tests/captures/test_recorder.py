"""What a proxy has seen becomes captures without secrets, and scenarios of its conversations."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from mockserver.cases.catalogue import read_file
from streamproof._captures.proxy import Seen
from streamproof._captures.recorder import Recorder

KEY = "sk-abcdefghijklmnopqrstuv"
PATH = "/v1/chat/completions"


def _chunk(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return {**head, "choices": [choice]}


def _stream(*chunks: dict[str, Any]) -> bytes:
    return b"".join(f"data: {json.dumps(c)}\n\n".encode() for c in chunks) + b"data: [DONE]\n\n"


def _call(**ids: str) -> bytes:
    function = {"name": "read", "arguments": '{"path":"a"}'}
    call = {"index": 0, "type": "function", "function": function, **ids}
    return _stream(_chunk(role="assistant", tool_calls=[call]), _chunk("tool_calls"))


def _said(*pieces: str) -> bytes:
    return _stream(*(_chunk(content=piece) for piece in pieces), _chunk("stop"))


def _seen(body: bytes, messages: list[dict[str, Any]], **other: Any) -> Seen:
    headers = other.pop("headers", [("Content-Type", "text/event-stream")])
    asked = json.dumps({"model": "m", "stream": True, "messages": messages}).encode()
    sent = [("Authorization", f"Bearer {KEY}"), ("Content-Type", "application/json")]
    return Seen(
        "POST",
        PATH,
        f"https://api.example.com{PATH}",
        0.0,
        sent,
        bytearray(asked),
        other.pop("status", 200),
        headers=headers,
        chunks=[(0.1, body[:50]), (0.2, body[50:])],
        **other,
    )


USER = {"role": "user", "content": "What is in /home/maria/a?"}


class Kept:
    """A recorder in a folder, with what it has logged."""

    def __init__(self, folder: Path) -> None:
        self.log: list[str] = []
        self.folder = folder
        self.recorder = Recorder(folder, self.log.append)

    def har(self, n: int = 1) -> dict[str, Any]:
        text = (self.folder / "captures" / f"{n:04}.har").read_text()
        found: dict[str, Any] = json.loads(text)["log"]["entries"][0]
        return found


def test_a_capture_has_the_bytes_and_the_time_of_each_piece(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    body = _said("Hi")
    kept.recorder.keep(_seen(body, [{"role": "user", "content": "Hello"}]))
    entry = kept.har()
    assert entry["response"]["content"]["text"].encode() == body
    assert entry["_chunks"] == [[100.0, 50], [200.0, len(body) - 50]]
    assert kept.log == [f"POST {PATH}: 200, {len(body)} bytes: {tmp_path}/captures/0001.har"]


def test_a_capture_has_no_secrets(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    said = _said("Your key is sk-abcdefg", "hijklmnopqrstuv, ", "maria@exam", "ple.org.")
    kept.recorder.keep(_seen(said, [USER]))
    list(kept.recorder.scenarios())
    for file in (file for file in tmp_path.rglob("*") if file.is_file()):
        text = file.read_text()
        for secret in (KEY, "abcdefg", "hijklmnop", "maria", "ple.org"):
            assert secret not in text, f"{secret} is in {file}"


def test_a_conversation_becomes_a_scenario_that_lint_accepts(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    made = {"id": "call_1", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    more: list[dict[str, Any]] = [
        USER,
        {"role": "assistant", "content": None, "tool_calls": [made]},
        {"role": "tool", "tool_call_id": "call_1", "content": "x = 1"},
    ]
    kept.recorder.keep(_seen(_call(id="call_1"), [USER]))
    kept.recorder.keep(_seen(_said("It is 1."), more))
    (file,) = kept.recorder.scenarios()
    scenario = read_file(file, "recorded/0001")
    assert file == tmp_path / "recorded" / "0001.yaml"
    assert [len(turn.script.steps) for turn in scenario.turns] == [2, 2]
    assert scenario.turns[0].then
    assert scenario.turns[0].then.tool_results == {"call_1": "x = 1"}
    assert scenario.host.user == "What is in /home/user/a?"
    assert "close: cut" not in file.read_text()


def test_a_call_id_that_comes_again_is_another_one_in_the_later_turn(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    made = {"id": "call_1", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    asked = {"role": "assistant", "tool_calls": [made]}
    result = {"role": "tool", "tool_call_id": "call_1", "content": "x = 1"}
    kept.recorder.keep(_seen(_call(id="call_1"), [USER]))
    kept.recorder.keep(_seen(_call(id="call_1"), [USER, asked, result]))
    kept.recorder.keep(_seen(_said("1."), [USER, asked, result, asked, {**result, "content": "2"}]))
    (file,) = kept.recorder.scenarios()
    first, second, _ = read_file(file, "recorded/0001").turns
    assert first.then
    assert second.then
    assert (first.then.tool_results, second.then.tool_results) == (
        {"call_1": "x = 1"},
        {"call_1_turn2": "2"},
    )
    assert "'call_1' is 'call_1_turn2' in turn 2" in file.read_text().replace("\n# ", " ")


def test_turns_after_a_second_call_of_a_tool_without_an_id_are_left_out(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    made = {"id": "mine", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    result = {"role": "tool", "tool_call_id": "mine", "content": "x = 1"}
    kept.recorder.keep(_seen(_call(), [USER]))
    kept.recorder.keep(_seen(_call(), [USER, {"role": "assistant", "tool_calls": [made]}, result]))
    (file,) = kept.recorder.scenarios()
    assert len(read_file(file, "recorded/0001").turns) == 1
    assert "# TODO: the tool 'read' is called without an id in two turns" in file.read_text()


def test_an_attempt_that_failed_is_an_attempt_in_the_scenario(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    json_type = [("content-type", "application/json"), ("retry-after", "1"), ("x-org", "acme")]
    kept.recorder.keep(
        _seen(b'{"error":{"message":"busy"}}', [USER], status=503, headers=json_type)
    )
    kept.recorder.keep(_seen(_said("Hi"), [USER]))
    (file,) = kept.recorder.scenarios()
    (turn,) = read_file(file, "recorded/0001").turns
    failed = turn.attempts[0].script
    assert (failed.status, dict(failed.headers)) == (  # type: ignore[union-attr]
        503,
        {"content-type": "application/json", "retry-after": "1"},
    )
    assert "acme" not in file.read_text()


def test_a_compressed_answer_is_read(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    headers = [("Content-Type", "text/event-stream"), ("Content-Encoding", "gzip")]
    kept.recorder.keep(_seen(gzip.compress(_said("Hi")), [USER], headers=headers))
    assert kept.har()["response"]["content"]["text"].encode() == _said("Hi")


def test_a_compressed_request_is_read(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    seen = _seen(_said("Hi"), [USER])
    seen.request[:] = gzip.compress(bytes(seen.request))
    seen.request_headers.append(("Content-Encoding", "gzip"))
    kept.recorder.keep(seen)
    (file,) = kept.recorder.scenarios()
    assert read_file(file, "recorded/0001").host.user == "What is in /home/user/a?"


def test_an_answer_that_broke_off_is_cut_in_the_scenario(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    kept.recorder.keep(_seen(b'data: {"choices": []}\n\n', [USER], close="reset"))
    (file,) = kept.recorder.scenarios()
    assert "      - close: reset\n" in file.read_text()
    assert "is a guess" not in file.read_text()


def test_an_answer_without_events_is_a_turn_that_sends_nothing(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    kept.recorder.keep(_seen(_said("Hi"), [USER]))
    kept.recorder.keep(_seen(b"", [{"role": "user", "content": "Nothing?"}]))
    _, file = kept.recorder.scenarios()
    assert "      - close: clean\n" in file.read_text()


def test_an_answer_that_is_nested_too_deep_is_kept_without_a_scenario(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    deep = b'data: {"a": ' + b"[" * 500 + b'"/home/maria"' + b"]" * 500 + b"}\n\n"
    kept.recorder.keep(_seen(deep, [USER]))
    assert list(kept.recorder.scenarios()) == []
    said = "a value in it is nested in more than 100 levels"
    assert kept.log[-1] == f"no scenario of 0001.har: {said}"
    assert "maria" not in (tmp_path / "captures" / "0001.har").read_text()


def test_what_is_no_answer_of_a_model_is_not_kept(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    kept.recorder.keep(_seen(b"{}", [], headers=[("Content-Type", "application/json")]))
    assert kept.recorder.written == []
    assert kept.log == [f"POST {PATH}: 200, no stream, not recorded"]


def test_numbers_go_on_where_another_session_ended(tmp_path: Path) -> None:
    Kept(tmp_path).recorder.keep(_seen(_said("Hi"), [USER]))
    kept = Kept(tmp_path)
    kept.recorder.keep(_seen(_said("Ho"), [USER]))
    assert [file.name for file in kept.recorder.written] == ["0002.har"]
    assert [file.name for file in kept.recorder.scenarios()] == ["0002.yaml"]


def test_a_scenario_of_another_session_stays_when_its_captures_are_gone(tmp_path: Path) -> None:
    Kept(tmp_path)
    (file := tmp_path / "recorded" / "0007.yaml").parent.mkdir()
    file.write_text("edited")
    kept = Kept(tmp_path)
    kept.recorder.keep(_seen(_said("Ho"), [USER]))
    assert [each.name for each in kept.recorder.scenarios()] == ["0008.yaml"]
    assert file.read_text() == "edited"


def test_two_sessions_in_one_folder_keep_what_both_have_seen(tmp_path: Path) -> None:
    one, other = Kept(tmp_path), Kept(tmp_path)
    one.recorder.keep(_seen(_said("Hi"), [USER]))
    other.recorder.keep(_seen(_said("Ho"), [USER]))
    assert one.har(1)["response"]["content"]["text"].encode() == _said("Hi")
    assert one.har(2)["response"]["content"]["text"].encode() == _said("Ho")


def test_a_client_that_left_is_named_in_the_scenario(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    kept.recorder.keep(_seen(_stream(_chunk(content="Hi"))[:-14], [USER], left=True))
    (file,) = kept.recorder.scenarios()
    text = file.read_text().replace("\n# ", " ")
    assert "0001.har: the client left before the end of the response." in text
    assert "In the capture, the stream breaks off" in text
    assert kept.log[0].endswith(f"not to its end: {tmp_path}/captures/0001.har")


def test_a_disk_that_is_full_is_said_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Kept(tmp_path)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("mockserver.foundation.atomic_files.os.open", full)
    for _ in range(2):
        kept.recorder.keep(_seen(_said("Hi"), [USER]))
    assert list((tmp_path / "captures").iterdir()) == []
    (line,) = kept.log
    assert "No space left on device; requests are passed on without being recorded" in line
    assert kept.recorder.failed
