"""Lint says where a scenario contradicts itself: its events each other, or its ``expect`` them.

Events that contradict each other are those of no legal upstream: a problem, or a warning with
another ``conduct`` unless a comment says that they are meant. No ``conduct`` excuses an ``expect``
that the kit's own adapter does not fulfil.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner

from streamproof._commands.lint import lint

HEAD = """\
title: A scenario that contradicts itself
source: [the tests of the commands]
dialects: [{dialect}]
conduct: {conduct}
turns:
  - expect: {expect}
    sends:
"""
FIRST_LINE = HEAD.count("\n") + 1
ITEM = (
    "response.created",
    "response.output_item.added: {item: {type: message}}",
    "response.content_part.added",
    "response.output_text.delta: {delta: Hi}",
)
DONE = ("response.output_text.done", "response.content_part.done", "response.output_item.done")
STEP = ("start", "start-step")
BLOCK = ("text-start: {id: t}", "text-delta: {id: t, text: Hi}", "text-end: {id: t}")
UI_BLOCK = ("text-start: {id: t}", "text-delta: {id: t, delta: Hi}", "text-end: {id: t}")
END = ("finish-step", "finish")


class Row(NamedTuple):
    """An event after and before others that contradicts them, and the words about it."""

    dialect: str
    before: Sequence[str]
    event: str
    after: Sequence[str]
    message: str


ROWS = [
    # No open item
    Row("openresponses", ITEM[:1], ITEM[-1], ["response.completed"], "item at index 0 and never"),
    Row(
        "openresponses",
        ITEM[:1],
        "response.function_call_arguments.delta: {delta: '{}'}",
        ["response.completed"],
        "speaks of the item at index 0 and never response.output_item.added",
    ),
    Row(
        "chat",
        ["delta: {role: assistant}"],
        "delta: {tool_calls: [{index: 0, function: {arguments: '{}'}}]}",
        ["finish: {reason: tool_calls}"],
        "begins a call without its id",
    ),
    Row("vercel-fullstream", STEP, BLOCK[1], END, "block of text 't' has not started"),
    Row("vercel-fullstream", STEP, "tool-input-delta: {id: c, delta: '{'}", END, "not started"),
    Row("vercel-ui", STEP, UI_BLOCK[1], END, "block of text 't' has not started"),
    Row("vercel-gateway", STEP[:0], UI_BLOCK[1], END[1:], "block of text 't' has not started"),
    # Two that contradict each other
    Row("openresponses", [*ITEM, *DONE], ITEM[-1], ["response.completed"], "(index 0) is done"),
    Row(
        "openresponses",
        ITEM,
        "response.output_text.done: {text: Ho}",
        [*DONE[1:], "response.completed"],
        "where the sum of the deltas goes on",
    ),
    Row(
        "chat",
        ["delta: {content: Hi}", "finish"],
        "delta: {content: Ho}",
        [],
        "goes on behind its finish",
    ),
    Row("vercel-fullstream", [*STEP, *BLOCK], BLOCK[1], END, "block of text 't' has ended"),
    Row("vercel-ui", [*STEP, *UI_BLOCK], UI_BLOCK[1], END, "block of text 't' has ended"),
    Row("vercel-gateway", UI_BLOCK, UI_BLOCK[1], END[1:], "block of text 't' has ended"),
]


def linted(
    folder: Path, dialect: str, steps: Sequence[str], expect: str, conduct: str = "legal"
) -> tuple[int, list[str]]:
    """The exit code and the lines that lint prints of a scenario."""
    head = HEAD.format(dialect=dialect, conduct=conduct, expect=expect)
    if dialect == "vercel-gateway":
        steps = ["stream-start", *steps]
    file = folder / "mine.yaml"
    file.write_text(head + "".join(f"      - {step}\n" for step in steps), "utf-8")
    result = CliRunner().invoke(lint, [str(file)])
    return result.exit_code, result.output.replace(f"{file}:", "").splitlines()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.dialect}: {row.message}")
def test_an_event_that_belongs_to_nothing_or_contradicts_another_is_found_at_its_line(
    row: Row, tmp_path: Path
) -> None:
    steps = [*row.before, row.event, *row.after]
    code, lines = linted(tmp_path, row.dialect, steps, "{parts: []}")
    at = FIRST_LINE + len(row.before) + (row.dialect == "vercel-gateway")
    assert code == 4
    (found,) = (n for n, line in enumerate(lines) if row.message in line)
    assert lines[found].startswith(f"{at}:9: turn 1 in {row.dialect}: ")
    assert lines[found + 1].startswith("    right: ")
    assert lines[found + 1].endswith("say 'conduct: deviation' or 'conduct: violation'")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.dialect}: {row.message}")
def test_where_the_conduct_is_another_a_comment_says_that_it_is_meant(
    row: Row, tmp_path: Path
) -> None:
    expect = "[{parts: []}, {parts: [{text: Hi}]}, {parts: [], outcome: failed}]"
    at = FIRST_LINE + len(row.before) + (row.dialect == "vercel-gateway")
    for comment, doubted in (("", True), ("  # again", True), ("  # again, on purpose", False)):
        steps = [*row.before, row.event + comment, *row.after]
        code, lines = linted(tmp_path, row.dialect, steps, expect, "violation")
        assert code == 0
        found = [line for line in lines if row.message in line]
        assert len(found) == doubted
        if doubted:
            assert found[0].startswith(f"{at}:9: warning: turn 1 in {row.dialect}: ")


OTHERWISE = {
    "openresponses": ([*ITEM, *DONE, "response.completed"], "text-exact: the text differs"),
    "chat": (["delta: {content: Hi}", "finish"], "text-exact: the text differs"),
    "vercel-fullstream": ([*STEP, *BLOCK, *END], "text-exact: the text differs"),
    "vercel-ui": ([*STEP, *UI_BLOCK, *END], "text-exact: the text differs"),
    "vercel-gateway": ([*UI_BLOCK, *END[1:]], "text-exact: the text differs"),
}


@pytest.mark.parametrize("conduct", ["legal", "deviation"])
@pytest.mark.parametrize("dialect", OTHERWISE)
def test_an_expect_that_the_reference_adapter_does_not_fulfil_is_a_warning(
    dialect: str, conduct: str, tmp_path: Path
) -> None:
    steps, message = OTHERWISE[dialect]
    code, lines = linted(tmp_path, dialect, steps, "{parts: [{text: Hello}]}", conduct)
    assert code == 0
    assert lines[0].startswith(
        f"{FIRST_LINE - 2}:5: warning: turn 1 in {dialect}: by this 'expect' the reference adapter "
        f"is wrong: {message}"
    )
    assert lines[1:] == [
        "    it wants the text 'Hello'; see 'show --reference', and correct it or the events",
        "1 scenario, no problems, 1 warning",
    ]
    assert linted(tmp_path, dialect, steps, "{parts: [{text: Hi}]}", conduct) == (
        0,
        ["1 scenario, no problems"],
    )


@pytest.mark.parametrize(
    ("steps", "expect", "message"),
    [
        (["delta: {content: Hi}", "close: cut"], "{parts: [{text: Hi}]}", "end-honest: "),
        (["delta: {content: Hi}", "close: stall"], "{parts: [{text: Hi}]}", "end-once: "),
        (["delta: {content: Hi}", 'raw: "data: {\\n\\n"'], "{parts: [{text: Hi}]}", "end-honest: "),
        (["delta: {content: Hi}", "close: cut"], "{parts: [{text: Hi}], outcome: failed}", ""),
        (["delta: {content: Hi}", "finish", "close: stall"], "{parts: [{text: Hi}]}", ""),
    ],
)
def test_how_the_stream_ends_is_read_as_well(
    steps: Sequence[str], expect: str, message: str, tmp_path: Path
) -> None:
    code, lines = linted(tmp_path, "chat", steps, expect, "violation")
    assert code == 0
    assert (f"reference adapter is wrong: {message}" in lines[0]) == bool(message)
    assert message or lines == ["1 scenario, no problems"]


def test_what_the_host_cancels_is_not_compared(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    steps = ["delta: {content: Hi}", "checkpoint: here", "finish"]
    text = HEAD.format(dialect="chat", conduct="legal", expect="{parts: [{text: Hello}]}")
    text += "".join(f"      - {step}\n" for step in steps)
    file.write_text(text + "    cancel: {at: here}\n", "utf-8")
    assert CliRunner().invoke(lint, [str(file)]).output == "1 scenario, no problems\n"
