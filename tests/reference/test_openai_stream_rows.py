"""Each row of the tables is needed: without it, the parts of some stream change."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conformance.dialects.openresponses.reference.openai_stream.blocks import Tables
from conformance.dialects.openresponses.reference.openai_stream.emitter import TABLES
from tests.reference import openai_tools as tools
from tests.reference import test_openai_stream_texts as texts
from tests.reference import test_openai_stream_tools as tool_calls
from tests.reference.openai_events import (
    Json,
    added,
    annotation,
    completed,
    done,
    machine,
    message,
    of_item,
    refusal,
    text,
    without_parts,
)

LATE: dict[str, list[Json]] = {
    "a text after its item": [done(message()), text("Hi"), completed()],
    "a text that only the final response has": [done(message()), completed(message(text="Hi"))],
    "a refusal after its item": [done(message()), refusal("No"), completed()],
    "an annotation after its item": [done(message()), annotation(texts.PAGE), completed()],
    "a summary after its item": [
        done(texts.reasoning_item()),
        texts.section("text.delta", 0, delta="Hm"),
        completed(),
    ],
    "encrypted content after its item": [
        done(texts.reasoning_item()),
        completed(texts.reasoning_item("gAAA")),
    ],
    "a custom tool whose text is only in its own end": [
        added(tools.custom()),
        of_item("custom_tool_call_input.done", "ctc_1", input=tools.SQL),
        done(tools.custom()),
        completed(),
    ],
    "a call that was cut off and is made again": [
        added(tools.function()),
        done(tools.function('{"q"', "incomplete")),
        done({**tools.function('{"q":1}'), "id": "fc_2"}, 1),
        completed(),
    ],
    "a computer without a call id": [
        added(tools.COMPUTER_WITHOUT_CALL),
        done(tools.COMPUTER_WITHOUT_CALL),
        completed(),
    ],
    "a remote call": [done(tools.REQUEST), done(tools.MCP, 1), completed()],
    "a delta after the end of a part": [
        *texts.TWO_SECTIONS[:3],
        texts.section_done(0, ""),
        texts.section("text.delta", 0, delta="!"),
        *texts.TWO_SECTIONS[4:],
        completed(),
    ],
    "two parts of a summary": [*texts.TWO_SECTIONS, completed()],
    "the start of a second part": [*texts.TWO_SECTIONS[:5], completed()],
    "a page": [added(message()), annotation(texts.PAGE), completed()],
}
STREAMS = {
    **LATE,
    **{name: [*events, completed()] for name, (events, _) in tool_calls.ROWS.items()},
    **{name: [*events, completed()] for name, (events, _) in texts.TEXTS.items()},
    **{name: [*events, completed()] for name, (events, _) in texts.REASONING.items()},
}


def played(tables: Tables) -> Iterator[list[Json]]:
    for events in STREAMS.values():
        for store in (True, False):
            begun = machine(store, tables=tables)
            yield [part for each in events for part in begun.event(each)]


WHOLE = list(played(TABLES))


SPEAKING = sorted(
    {
        (kind, event)
        for kind, table in TABLES.items()
        for (_, event), step in table.items()
        if step[1]
    }
)


@pytest.mark.parametrize(("kind", "event"), SPEAKING)
def test_a_stream_lacks_the_parts_of_a_row(kind: str, event: str) -> None:
    lacking = played(without_parts(kind, event))
    counts = [(len(parts), len(whole)) for parts, whole in zip(lacking, WHOLE, strict=True)]
    assert any(left < all_ for left, all_ in counts)


@pytest.mark.parametrize(
    ("kind", "state", "event"),
    [(kind, state, event) for kind, table in TABLES.items() for state, event in table],
)
def test_a_stream_changes_without_a_row(kind: str, state: str, event: str) -> None:
    table = {key: step for key, step in TABLES[kind].items() if key != (state, event)}
    without = played({**TABLES, kind: table})
    assert any(parts != whole for parts, whole in zip(without, WHOLE, strict=True))


def test_types_of_items_without_rows_are_silent() -> None:
    assert [kind for kind, table in TABLES.items() if not table] == ["mcp_list_tools"]
