"""``streamproof show``: a scenario, or a run of it, as a timeline."""

import re
from pathlib import Path

import pytest

from mockserver import __version__
from mockserver.dialects.vercel.parts import KNOWN
from tests.commands import streamproof
from tests.suite import (
    DOUBLING,
    PYTEST,
    ROOT,
    STREAMPROOF,
    TRACEBACK,
    Outputs,
    Ran,
    adapter,
    run,
    run_all,
    scenario,
    spoilt,
)

CASE = "any/call-between-texts"

# From the scenario: the events and the parts of a correct adapter, side by side.
BESIDE = [
    ("output_text.delta [0] 'Let me check'", "text 'Let me check'"),
    ('function_call_arguments.delta [1] \'{"path":"\'', "· buffering"),
    ("function_call_arguments.done [1]", "toolCall call_read read_file"),
    ("output_text.delta [2] 'the contents, it is fine.'", "text 'the contents, it is fine.'"),
    ("completed", "· lifecycle"),
]

CHAT = ROOT / "conformance" / "dialects" / "chat" / "reference" / "chat-vscode.yaml"
PLAYED = f"played to doubling (reference-openresponses-vscode 1) by streamproof {__version__}"
KILLED = """
import os, signal
self.runs = getattr(self, "runs", 0) + 1
if self.runs == 2:
    os.kill(os.getpid(), signal.SIGKILL)
return await self.inner.run(run, emit, cancel)
"""


@pytest.fixture(scope="module")
def ran(folder: Path) -> Outputs:
    doubling = spoilt(folder, "doubling", DOUBLING)
    killed = adapter(folder, "killed", KILLED)
    out, cut = folder / "out.jsonl", folder / "cut.jsonl"
    run_all(
        {
            "": [*PYTEST, "-k", "between or refusal", "--adapter", doubling, "--results", out],
            "cut": [*PYTEST, "-k", "any/re", "--adapter", killed, "--results", cut],
        }
    )
    own = scenario(folder, "own/greeting", "title: Mine\nturns:\n  - says: [{text: Hello}]\n")
    scenario(folder, "own/broken", "title: Mine too\nturns:\n  - sayz: []\n")
    (folder / "no.jsonl").write_text("hello\n", "utf-8")
    show = ("show",)
    return streamproof(
        {
            "scenario": [*show, CASE],
            "narrow": [*show, CASE, "--width", "60"],
            "variation": [*show, f"{CASE}@openresponses+no-done"],
            "reference": [*show, CASE, "--reference"],
            **{each: [*show, f"{CASE}@{each}", "--reference"] for each in KNOWN},
            "adapter": [*show, CASE, "--adapter", doubling],
            "results": [*show, CASE, "--results", out],
            "passed": [*show, "any/refusal@openresponses", "--results", out],
            "own dialect": [*show, CASE, "--adapter", CHAT],
            "bytes": [*show, CASE, "--bytes"],
            "bytes of a run": [*show, CASE, "--adapter", doubling, "--bytes"],
            "recorded bytes": [*show, CASE, "--results", out, "--bytes"],
            "diagram of bytes": [*show, CASE, "--mermaid", "--bytes"],
            "file": [*show, own],
            "folder": [*show, "own/greeting", "--scenarios", folder],
            "unknown": [*show, "any/call-between-text"],
            "no id": [*show, "Any Thing"],
            "words": [*show, "cut inside text"],
            "no dialect": [*show, f"{CASE}@openai"],
            "near dialect": [*show, f"{CASE}@chatt"],
            "a group": [*show, f"{CASE}@chat+wire"],
            "no variation": [*show, f"{CASE}@openresponses+crfl"],
            "broken": [*show, folder / "own" / "broken.yaml"],
            "no file": [*show, folder / "nowhere.yaml"],
            "no result": [*show, "any/refusals", "--results", out],
            "no results": [*show, CASE, "--results", folder / "no.jsonl"],
            "incomplete": [*show, CASE, "--results", cut],
            "no adapter": [*show, CASE, "--adapter", folder / "nowhere.yaml"],
            "both": [*show, CASE, "--adapter", doubling, "--reference"],
            "attempts": [*show, "openresponses/status-429-then-stream"],
            "answer": [*show, "openresponses/status-200-with-response"],
            "conversation": [*show, "chat/annex"],
            "diagram": [*show, "chat/annex", "--mermaid"],
            "diagram of a run": [*show, "chat/annex", "--reference", "--mermaid"],
            "nothing": show,
        },
        folder,
    )


def test_a_scenario_is_shown_as_a_correct_adapter_sees_it(ran: Outputs) -> None:
    lines = ran["scenario"].text.splitlines()
    assert ran["scenario"].code == 0
    assert lines[0] == f"{CASE}@openresponses  ·  A call comes between two texts  ·  legal"
    assert "source: lm-stream-semantics § 3.4" in ran["scenario"].text
    for left, right in BESIDE:
        assert any(left in line and right in line.partition(left)[2] for line in lines), left
    assert lines[-1].strip() == "⏹ completed"


def test_a_conversation_is_shown_turn_by_turn(ran: Outputs) -> None:
    shown = ran["conversation"].text
    assert ran["conversation"].code == 0
    first, second = shown.split("turn 1: the result of call1")
    assert "turn 0: system 'You are Copilot Chat', user 'Explain briefly" in first
    assert "finish tool_calls" in first
    assert "toolCall call1 search" in first
    assert "⏹ completed (stop)" in second


@pytest.mark.parametrize("name", ["diagram", "diagram of a run"])
def test_a_conversation_is_drawn_as_a_sequence_diagram(ran: Outputs, name: str) -> None:
    lines = [line.strip() for line in ran[name].text.splitlines()]
    assert ran[name].code == 0
    assert lines[0] == "sequenceDiagram"
    # Host, adapter and upstream exchange messages in the order of the annex, twice.
    asks = [n for n, line in enumerate(lines) if line.startswith("Host->>Adapter:")]
    post = "Adapter->>Upstream: POST …/chat/completions"
    posts = [n for n, line in enumerate(lines) if line == post]
    emits = [n for n, line in enumerate(lines) if line.startswith("Adapter->>Host:")]
    calls = [n for n in emits if "call1" in lines[n]]
    ends = [n for n, line in enumerate(lines) if "⏹ completed" in line]
    assert asks[0] < posts[0] < calls[0] < ends[0] < asks[1] < posts[1] < ends[1]
    assert lines[asks[1]].endswith("the result of call1")
    assert not any(";" in line for line in lines)


def test_a_file_has_plain_text_of_a_fixed_width(ran: Outputs) -> None:
    for name, width in (("scenario", 100), ("narrow", 60), ("adapter", 100)):
        assert "\x1b" not in ran[name].text
        lines = ran[name].text.splitlines()
        assert max(map(len, lines)) <= width
        assert [line for line in lines if line != line.rstrip()] == []


def test_the_environment_does_not_change_the_output(ran: Outputs) -> None:
    shown = run(*STREAMPROOF, "show", CASE, COLUMNS="52", TERM="dumb")
    assert shown == ran["scenario"]


def test_a_case_is_shown_with_its_variations(ran: Outputs) -> None:
    assert "[DONE]" in ran["scenario"].text
    assert ran["variation"].text.startswith(f"{CASE}@openresponses+no-done  ·  ")
    assert "[DONE]" not in ran["variation"].text


def test_a_run_of_the_reference_adapter_is_shown(ran: Outputs) -> None:
    assert ran["reference"].code == 0
    assert "toolCall gw-call_read read_file" in ran["reference"].text
    assert ran["reference"].text.endswith("\npassed: 0 findings, 0 of level must\n")


@pytest.mark.parametrize("dialect", KNOWN)
def test_each_dialect_of_the_ai_sdk_is_shown_with_its_own_reference_adapter(
    ran: Outputs, dialect: str
) -> None:
    assert ran[dialect].code == 0
    assert f"reference-{dialect.removeprefix('vercel-')}-vscode emitted" in ran[dialect].text
    assert re.search("toolCall (gw-)?call_read read_file", ran[dialect].text)


def test_a_run_of_another_adapter_is_shown_with_its_findings(ran: Outputs) -> None:
    assert ran["adapter"].code == 1
    assert "doubling emitted" in ran["adapter"].text
    assert "    ✗ call-once (must): the call 'gw-call_read'" in ran["adapter"].text
    assert ran["adapter"].text.endswith("\nfailed: 1 finding, 1 of level must\n")


def test_a_run_names_the_library_its_version_and_the_kit(ran: Outputs) -> None:
    assert PLAYED in ran["adapter"].text.splitlines()
    assert "streamproof 0." not in ran["scenario"].text


def test_a_case_without_a_dialect_is_played_in_one_that_the_adapter_reads(ran: Outputs) -> None:
    assert ran["own dialect"].code == 0, ran["own dialect"].text
    assert ran["own dialect"].text.startswith(f"{CASE}@chat  ·  ")


def test_the_bytes_are_below_the_timeline_write_by_write(ran: Outputs) -> None:
    for name, heading in BYTES.items():
        drawn, _, wire = ran[name].text.partition(f"\nthe bytes of turn 0, attempt 1{heading}")
        assert "⏹ completed" in drawn, name
        assert "── 0 ms: write 1\nevent: response.created\ndata: {" in wire
        assert "\n── 0 ms: the answer is over\n" in wire


BYTES = {"bytes": "\n", "bytes of a run": ": ", "recorded bytes": ": "}


def timeline(ran: Ran) -> list[str]:
    """The timeline without [DONE], since the adapter may have left before it."""
    lines = ran.text[ran.text.index("the upstream sent") :].splitlines()
    return [line for line in lines if "[DONE]" not in line]


def test_a_recorded_run_is_shown_as_it_was(ran: Outputs) -> None:
    assert ran["results"].code == 1
    assert timeline(ran["results"]) == timeline(ran["adapter"])
    title = ran["results"].text.splitlines()
    assert title[0].startswith(f"{CASE}@openresponses, as ")
    assert PLAYED in title[1:4]
    assert ran["passed"].code == 0
    assert "text \"I'm sorry" in ran["passed"].text


def test_each_of_several_answers_is_shown_with_the_parts_expected_after_it(ran: Outputs) -> None:
    first, _, second = ran["attempts"].text.partition("attempt 2 of 2, if it is the last one\n")
    assert "HTTP 429\nRetry-After: 1\nContent-Type: application/json\n" in first
    assert '{"error":{"type":"too_many_requests"' in first
    assert "⏹ failed" in first
    assert "⏹ completed (stop)" in second


def test_a_plain_answer_is_shown_with_the_beginning_of_its_body(ran: Outputs) -> None:
    assert "HTTP 200\n" in ran["answer"].text
    assert '{"id":"resp_whole","object":"response"' in ran["answer"].text
    assert "(1 more outcomes are right)" in ran["answer"].text


@pytest.mark.parametrize("name", ["file", "folder"])
def test_an_own_scenario_is_shown(ran: Outputs, name: str) -> None:
    assert ran[name].code == 0, ran[name].text
    assert ran[name].text.startswith("own/greeting@openresponses  ·  Mine  ·  legal\n")
    assert "text 'Hello'" in ran[name].text


@pytest.mark.parametrize(
    ("name", "code", "message"),
    [
        ("unknown", 4, f"'any/call-between-text'\n    did you mean {CASE!r} or"),
        ("no id", 4, "'Any Thing' is not a case id\n    did you mean "),
        ("words", 4, "did you mean 'any/cut-inside-text' or "),
        ("near dialect", 4, "\n    did you mean 'chat'?"),
        ("a group", 4, "it stands for several, which --vary wire plays"),
        ("no dialect", 4, f"{CASE} is not played in 'openai' (it speaks openresponses"),
        ("no variation", 4, "no variation is called 'crfl'\n    did you mean 'crlf'?"),
        ("broken", 4, "broken.yaml:3:5: unknown key 'sayz'\n    did you mean 'says'?"),
        ("no file", 4, "nowhere.yaml: cannot be read: No such file or directory"),
        ("no result", 4, "has no result for 'any/refusals'\n    did you mean 'any/refusal@"),
        ("no results", 4, "no.jsonl:1:1: not JSON: Expecting value"),
        ("incomplete", 4, "cut.jsonl is incomplete: its run did not come to its end."),
        ("no adapter", 3, "nowhere.yaml: cannot be read: No such file or directory"),
        ("both", 4, "--adapter and --reference show different things; choose one of them"),
        ("diagram of bytes", 4, "--mermaid and --bytes show different things; choose one of them"),
        ("nothing", 4, "Missing argument 'CASE'"),
    ],
)
def test_a_mistake_is_explained(ran: Outputs, name: str, code: int, message: str) -> None:
    assert ran[name].code == code, ran[name].text
    assert message in ran[name].text
    assert TRACEBACK not in ran[name].text
