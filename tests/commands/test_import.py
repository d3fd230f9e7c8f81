"""``streamproof import``: what it writes, where, and what it says."""

import asyncio
import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession

from conformance.suite.upstream import Upstream
from mockserver.cases.case import make_case, parse
from mockserver.cases.catalogue import Catalogue
from tests.commands import call
from tests.data import DATA, needs_data
from tests.suite.recordings import RIGHT, footer, header, result, written

RECORDINGS = DATA / "recordings"

LEGAL = b"""\
event: response.created
data: {"type":"response.created","sequence_number":0,"response":{"id":"resp_a"}}

: a comment

data: not JSON

event: future.event
data: {"type":"future.event","sequence_number":1,"user":"/home/maria/x"}

event: response.output_text.delta
data: {"type":"response.output_text.delta","sequence_number":2,"delta":"Hi"}
"""


def _imported(data: bytes, *options: str) -> str:
    ran = call("import", "-", *options, given=data)
    assert (ran.code, ran.err) == (0, "")
    return ran.out


def test_the_scenario_is_on_standard_output_and_nothing_else() -> None:
    written = _imported(LEGAL)
    assert written.startswith(
        "# Imported from <stdin>. What begins with TODO is for you to decide."
    )
    assert "  - sends:\n" in written
    assert "      - comment: a comment\n" in written
    assert '      - raw: "data: not JSON\\n\\n"\n' in written
    assert '      - unknown: {type: future.event, user: "/home/user/x"}\n' in written
    assert "# Redacted: 1 name in a path.\n" in written
    assert "      - close: cut\n" in written


def test_what_the_stream_breaks_stands_above_its_event() -> None:
    lines = [line.strip() for line in _imported(LEGAL).splitlines()]
    finding = lines.index("# ✗ framing (must): the data is not JSON (line 6): 'not JSON'")
    assert lines[finding + 1] == '- raw: "data: not JSON\\n\\n"'
    assert "conduct: violation" in lines


def test_what_is_written_passes_lint_and_plays(tmp_path: Path) -> None:
    file = tmp_path / "openresponses" / "mine.yaml"
    ran = call("import", "-", "--out", file, given=LEGAL)
    assert (ran.code, ran.out) == (0, "")
    assert f"wrote {file}: 5 events of openresponses" in ran.err
    assert call("lint", file).code == 0
    assert call("show", file, "--reference").code == 0


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("before")
    assert call("import", "-", "--out", file, given=b"nonsense").code == 4
    assert file.read_text() == "before"
    assert call("import", "-", "--out", file, given=LEGAL).code == 0
    assert file.read_text().startswith("# Imported")
    assert [each.name for each in tmp_path.iterdir()] == ["mine.yaml"]


def test_a_link_is_followed_and_standard_output_has_two_names(tmp_path: Path) -> None:
    (link := tmp_path / "link.yaml").symlink_to("target.yaml")
    assert call("import", "-", "--out", link, given=LEGAL).code == 0
    assert link.is_symlink()
    assert (tmp_path / "target.yaml").read_text() == _imported(LEGAL)
    assert _imported(LEGAL, "--out", "-") == _imported(LEGAL)


def test_the_command_that_is_named_next_works(tmp_path: Path) -> None:
    ran = call("import", "-", "--out", "my own/chat/bug.yaml", cwd=tmp_path, given=_har("Hi?"))
    (line,) = (each for each in ran.err.splitlines() if each.startswith("next: streamproof "))
    assert call(*shlex.split(line)[2:], cwd=tmp_path).out.startswith("chat/bug@chat")


OUTS = {
    "bug.txt": "bug.txt does not end in .yaml",
    "folder": "--out folder/my-bug.yaml",
    "My Bug.yaml": "makes no scenario id",
    "circle.yaml": "circle.yaml cannot be written: Too many levels of symbolic links",
    "file/bug.yaml": "file/bug.yaml cannot be written",
}


@pytest.mark.parametrize(("out", "why"), OUTS.items())
def test_a_place_where_no_scenario_can_be_is_refused(tmp_path: Path, out: str, why: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "circle.yaml").symlink_to("circle.yaml")
    before = sorted(tmp_path.iterdir())
    ran = call("import", "-", "--out", out, cwd=tmp_path, given=LEGAL)
    assert (ran.code, ran.out) == (4, "")
    assert why in ran.err
    assert sorted(tmp_path.iterdir()) == before


MISTAKES = [
    (b"", (), "the file is empty"),
    (LEGAL, ("--dialect", "chatt"), "did you mean 'chat'?"),
    (LEGAL, ("--pick", "2"), "there is no conversation 2; there are 1"),
]


@pytest.mark.parametrize(("data", "options", "why"), MISTAKES)
def test_a_mistake_is_reported_and_exits_with_4(
    data: bytes, options: tuple[str, ...], why: str
) -> None:
    ran = call("import", "-", *options, given=data)
    assert (ran.code, ran.out) == (4, "")
    assert why in ran.err


def _har(*questions: str) -> bytes:
    chunk = {
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": {"content": "Hi"}}],
    }
    entries = [
        {
            "request": {
                "method": "POST",
                "url": "https://api.example.com/v1/chat/completions",
                "postData": {"text": json.dumps({"messages": [{"role": "user", "content": text}]})},
            },
            "response": {
                "status": 200,
                "content": {
                    "mimeType": "text/event-stream",
                    "text": f"data: {json.dumps(chunk)}\n\n",
                },
            },
        }
        for text in questions
    ]
    return json.dumps({"log": {"entries": entries}}).encode()


def test_of_several_conversations_one_is_picked() -> None:
    several = call("import", "-", given=_har("One?", "Two?"))
    assert several.code == 4
    assert "it has 2 conversations; choose one with --pick" in several.err
    assert "2: <stdin>: entry 2 (chat), turns: 1, events: 1" in several.err
    assert 'host: {user: "Two?"}' in _imported(_har("One?", "Two?"), "--pick", "2")


def test_results_of_two_adapters_are_told_apart() -> None:
    names = ("first", "second")
    results = [result(adapter=n, transcript={**RIGHT, "adapter": n}) for n in names]
    ran = call("import", "-", given=written(header(None, *names), *results, footer(passed=2)))
    assert ran.code == 4
    assert "1: any/refusal@openresponses by first: request 0 (openresponses)" in ran.err
    assert "2: any/refusal@openresponses by second: request 0 (openresponses)" in ran.err


def _journal(name: str, bodies: list[dict[str, Any]]) -> bytes:
    catalogue = Catalogue.shipped()
    with Upstream(catalogue) as upstream:
        id_ = parse(name)
        scenario = catalogue.get(id_.scenario)
        assert scenario
        run = upstream.open(make_case(scenario, id_))

        async def asked() -> bytes:
            async with ClientSession() as session:
                for body in bodies:
                    async with session.post(
                        f"{upstream.url}{run.path}/responses", json=body
                    ) as answer:
                        await answer.read()
                async with session.get(f"{upstream.url}/_mock/runs/{run.id}/journal") as journal:
                    return await journal.read()

        return asyncio.run(asked())


def test_a_conversation_in_a_journal_becomes_turns() -> None:
    user = {"type": "message", "role": "user", "content": "What is in a.py?"}
    result = {"type": "function_call_output", "output": "x = 1"}
    asked = {"model": "mock", "stream": True}
    name = "any/conversation-two-rounds@openresponses"
    first = {**asked, "input": [user]}
    made = json.loads(_journal(name, [first]))["exchanges"][0]["events"]
    done = [e["data"]["item"] for e in made if e["type"] == "response.output_item.done"]
    calls = [item for item in done if item["type"] == "function_call"]
    results = [{**result, "call_id": each["call_id"]} for each in calls]
    second = {**asked, "input": [user, *calls, *results]}
    written = _imported(_journal(name, [first, second]))
    assert 'host: {user: "What is in a.py?"}' in written
    assert written.count("  - sends:") == 2
    assert "tool_results: {" in written
    assert '"x = 1"' in written
    assert "TODO: the result" not in written
    assert "close: cut" not in written


@needs_data
@pytest.mark.parametrize(
    "name",
    [
        "lmstudio-basic.1.jsonl",
        "openai-mcp-tool-approval.1.jsonl",
        "azure-model-router.1.chat.jsonl",
        "copilot-proxy-L715.chat.sse",
        "groq-tool-call.chat.jsonl",
    ],
)
def test_a_recording_of_a_real_upstream_is_imported(name: str) -> None:
    _is_imported(RECORDINGS / name)


def _is_imported(file: Path) -> None:
    ran = call("import", file)
    assert ran.code == 0, ran.err
    assert "raw:" not in ran.out
    assert "TODO: turn" not in ran.out
    assert "reference adapter breaks" not in ran.out


def test_what_all_chunks_share_is_written_once(tmp_path: Path) -> None:
    def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        head = {"id": "c", "object": "chat.completion.chunk", "created": 5, "model": "m"}
        return {**head, "system_fingerprint": "fp_1", "n": len(delta), "choices": [choice]}

    sent = [
        chunk({"role": "assistant", "content": ""}),
        chunk({"content": "Hi"}),
        chunk({}, "stop"),
    ]
    file = tmp_path / "answer.jsonl"
    file.write_text("".join(f"{json.dumps(each)}\n" for each in sent), "utf-8")
    (once,) = [line for line in call("import", file).out.splitlines() if "fp_1" in line]
    assert once == "chunks: {system_fingerprint: fp_1}"


@needs_data
@pytest.mark.long
def test_every_recording_of_a_dialect_is_imported() -> None:
    for file in sorted(RECORDINGS.iterdir()):
        if ".messages." not in file.name:
            _is_imported(file)


@needs_data
def test_a_recording_of_a_dialect_that_is_not_played_says_which_it_is() -> None:
    ran = call("import", RECORDINGS / "anthropic-text.messages.jsonl")
    assert ran.code == 4
    assert "events of Anthropic's Messages, which streamproof does not play" in ran.err
