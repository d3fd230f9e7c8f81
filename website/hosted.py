"""Makes the page of hosted tools from the rows of hosted parts and the scenarios that show them."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from conformance.dialects.client.fields import object_, string
from conformance.dialects.openresponses.reference.openai_stream.emitter import kind_of
from conformance.dialects.recording import recorded_turn
from mockserver.cases.case import Case
from tests.reference.openai_events import machine
from tests.rules.hosted_rows import NOT_JSON, ROWS, Row, case_of
from website.words import fill, link_clause, plain


def page() -> str:
    """The page about the events of OpenAI's hosted tools, as Markdown: a table with a row for each.

    Raises AssertionError if the scenario of a row does not send its event, or names no source.
    """
    return fill("hosted", rows=map(_cells, ROWS))


def _cells(row: Row) -> tuple[str, ...]:
    case = case_of(row)
    scenario = case.scenario
    assert scenario.source, row.id
    event = f"`{row.event}`" if row.event != NOT_JSON else row.event
    event += f" ({plain(row.of)})" if row.of else ""
    return (
        event + (f", or `{row.earlier}` before it" if row.earlier else ""),
        ", ".join(_counted(parts_of(row, case))) or "*nothing*",
        f"[`{scenario.id}`](../scenarios/{scenario.id}.yaml)",
        "; ".join(map(link_clause, scenario.source)),
    )


def parts_of(row: Row, case: Case) -> list[str]:
    """The parts that the reference adapter emits at that event of a row which has most of them.

    An error may be reported at the end of the stream. Raises AssertionError if the scenario does
    not have the event.
    """
    options: Any = case.scenario.host.options
    began = machine(options.get("store"))
    kinds: dict[int, str] = {}
    found: list[list[str]] = []
    for event in recorded_turn(case, 0).events:
        if not isinstance(event.data, dict):
            began.fail("decode", "an event is not JSON")
            found += [[]] if row.event == NOT_JSON else []
            break
        parts = began.event(event.data)
        if is_of(row, event.type, event.data, kinds):
            found.append([_name(part) for part in parts if part["type"] != "stream-start"])
    assert found, f"{row.id}: {case.scenario.id} has no such event"
    if row.event in (NOT_JSON, "error"):
        found.append([_name(part) for part in began.close()])
    return max(found, key=len)


def is_of(row: Row, type_: str, data: dict[str, Any], kinds: dict[int, str]) -> bool:
    """Whether an event is of a row; ``kinds`` has the kind of each item so far, by its index."""
    index = data.get("output_index", -1)
    if item := object_(data, "item"):
        # A finished item in a scenario is complete, so its kind is that of the whole item.
        kinds[index] = kind_of(item)
    if type_ not in (row.event, row.earlier):
        return False
    annotation = string(object_(data, "annotation"), "type")
    return row.of in ("", annotation, kinds.get(index, ""))


def _name(part: Any) -> str:
    preliminary = "preliminary " if part.get("preliminary") else ""
    return f"{preliminary}`{part['type']}`"


def _counted(names: list[str]) -> Iterator[str]:
    for name, same in groupby(names):
        run = len(list(same))
        yield name + (f" × {run}" if run > 1 else "")
