"""Streams that the protocol allows break no rule, however unusual they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import pytest
from hypothesis import given

from conformance.dialects.own_stream import recorded_streams, recorded_turn
from conformance.rules.streams import STREAM_RULES, judge_stream
from mockserver.cases.case import Case, misfit
from mockserver.cases.catalogue import Catalogue
from mockserver.cases.render import differs
from mockserver.cases.variations import VARIATIONS
from mockserver.scenario.model import Scenario
from tests.data import needs_data
from tests.representative import delivery, features, split
from tests.rules.scripts import cases
from tests.schemas import published
from tests.schemas.test_events_agree import component
from tests.stream import (
    FAILED,
    INCOMPLETE,
    LEGAL,
    MESSAGE,
    OUTPUT,
    RAW,
    TEXT_PART,
    WIRE,
    Change,
    Events,
    Json,
    Wire,
    added,
    arguments_done,
    call,
    done,
    json_lines,
    judged,
    lifecycle,
    lines_of,
    musts,
    musts_of,
    numbered,
    text,
)
from tests.stream.broken_hosted import LEGAL_TOOLS
from tests.stream.changes import after, both, drop, drop_all, edit, merged, swap
from tests.wire.test_render import MARK

STREAMS = {
    "finished": LEGAL,
    "failed": FAILED,
    "incomplete": INCOMPLETE,
    "raw reasoning": RAW,
}
# The published schema has a closed list of items, although the specification allows others.
ALL_STREAMS = {**STREAMS, "tools of OpenAI, with a prefix": LEGAL_TOOLS}


@needs_data
@pytest.mark.parametrize("stream", STREAMS.values(), ids=list(STREAMS))
def test_the_streams_of_these_tests_satisfy_the_published_schema(stream: Events) -> None:
    for event in numbered(stream):
        assert published(component(event["type"])).is_valid(event), event


@pytest.mark.parametrize("stream", ALL_STREAMS.values(), ids=list(ALL_STREAMS))
def test_a_legal_stream_breaks_no_rule(stream: Events) -> None:
    assert lines_of(judged(WIRE.bytes(numbered(stream)))) == []
    assert lines_of(judged(json_lines(numbered(stream)))) == []


def _multiline(data: bytes) -> bytes:
    """JSON over several data lines, split between two tokens."""
    return data.replace(b', "item_id"', b',\ndata: "item_id"')


def _no_space(data: bytes) -> bytes:
    return data.replace(b"data: ", b"data:").replace(b"event: ", b"event:")


# Framings that the specification of event streams allows and that clients get wrong
FRAMINGS: dict[str, Callable[[Events], bytes]] = {
    "crlf": Wire(newline="\r\n").bytes,
    "cr": Wire(newline="\r").bytes,
    "multiline": lambda events: _multiline(WIRE.bytes(events)),
    "no space": lambda events: _no_space(WIRE.bytes(events)),
    "comments": lambda events: WIRE.bytes(events).replace(b"\n\n", b"\n\n: keepalive\n\n:\n"),
    "a comment inside an event": lambda events: WIRE.bytes(events).replace(b"data:", b": x\ndata:"),
    "retry": Wire(before="retry: 3000\n\n").bytes,
    "bom": lambda events: b"\xef\xbb\xbf" + WIRE.bytes(events),
    "an empty event": Wire(before="event: ping\n\n").bytes,
    "an unknown field": Wire(before="x-trace: 7f3a\n\n").bytes,
    "headers": Wire(
        before="HTTP/1.1 200 OK\nContent-Type: text/event-stream; charset=utf-8\n\n"
    ).bytes,
    "escaped": lambda events: WIRE.bytes(events).replace("ü".encode(), b"\\u00fc"),
}


@pytest.mark.parametrize("written", FRAMINGS.values(), ids=list(FRAMINGS))
def test_a_legal_framing_breaks_no_rule(written: Callable[[Events], bytes]) -> None:
    data = written(numbered(LEGAL))
    assert data != WIRE.bytes(numbered(LEGAL))
    assert lines_of(judged(data)) == []


_TRACE: Json = {
    "type": "acme:trace_event",
    "trace": {"span": "7f3a"},
    "response": {"id": "resp_other", "status": "failed"},
    "item_id": "msg_other",
}
_SEARCH: Json = {"type": "acme:search_call", "id": "acme_1", "query": "x"}


def _deep(value: Any) -> Any:
    """Adds an unknown field to every object."""
    if isinstance(value, dict):
        return {**{key: _deep(one) for key, one in value.items()}, "x_new": [None]}
    return [_deep(one) for one in value] if isinstance(value, list) else value


def _halved(events: Events) -> Events:
    """Splits a character outside the basic plane into two deltas, each with a lone surrogate."""
    whole = '{"q":"😀"}'
    grown = [e for e in events if e["type"].endswith("arguments.delta") and e["output_index"] == 2]
    first, second = ({**e, "delta": d} for e, d in zip(grown, HALVES, strict=True))
    change = both(
        lambda events: [{id(grown[0]): first, id(grown[1]): second}.get(id(e), e) for e in events],
        edit("function_call_arguments.done", arguments=whole),
        edit("output_item.done", 2, item={"arguments": whole}),
        edit("completed", response={"output": {2: {"arguments": whole}}}),
    )
    return change(events)


HALVES = ('{"q":"\ud83d', '\ude00"}')

ANSWERED: Json = {
    "type": "function_call_output",
    "id": "fco_1",
    "call_id": "call_1",
    "output": "warm",
    "status": "completed",
}

# A text part that opens and closes without text, as the streaming diagram has it
_NOTHING: Json = {"part": {"text": ""}}
EMPTY: Json = {**MESSAGE, "content": [{**TEXT_PART, "text": "", "annotations": []}]}

CHANGES: dict[str, Change] = {
    "ext": both(after("created", 0, _TRACE), after("completed", 0, _TRACE)),
    "exttitem": lambda events: [
        *events[:-1],
        added(4, _SEARCH),
        {**_TRACE, "output_index": 4, "item_id": "acme_1"},
        done(4, _SEARCH),
        lifecycle("completed", [*OUTPUT, _SEARCH]),
    ],
    "extrafields": lambda events: [_deep(event) for event in events],
    "obfuscation": lambda events: [{**event, "obfuscation": "aGk"} for event in events],
    "lmstudio": drop_all("function_call_arguments.delta"),
    "empty deltas": lambda events: [
        one for e in events for one in (({**e, "delta": ""}, e) if "delta" in e else (e,))
    ],
    "queued": after("created", 0, lifecycle("queued")),
    "queued in place of in_progress": both(
        after("created", 0, lifecycle("queued")), drop("in_progress")
    ),
    "created is queued": edit("created", response={"status": "queued"}),
    "an item begins before another is done": swap("output_item.done"),
    "a citation after the complete text": swap("output_text.annotation.added"),
    "a character in two halves": _halved,
    "no annotation event": drop("output_text.annotation.added"),
    "a part that stays empty": lambda events: [
        *events[:2],
        added(0, EMPTY),
        *(merged(e, _NOTHING) for e in text(0, cited=False) if "part" in e),
        done(0, EMPTY),
        lifecycle("completed", [EMPTY]),
    ],
    "a function's output beside its call": lambda events: [
        *events[:-1],
        added(4, ANSWERED),
        done(4, ANSWERED),
        lifecycle("completed", [*OUTPUT, ANSWERED]),
    ],
    "a vendor's event between an error and the failure": lambda _: after("error", 0, _TRACE)(
        list(FAILED)
    ),
    "a failed response without what was never finished": lambda _: [
        *FAILED[:3],
        added(1, call(1, "{}")),
        {**arguments_done(1, "{}"), "output_index": 1},
        done(1, call(1, "{}")),
        lifecycle("failed", [call(1, "{}")]),
    ],
    "an empty answer": lambda events: [*events[:2], lifecycle("completed")],
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=list(CHANGES))
def test_an_unusual_legal_stream_breaks_no_rule(change: Change) -> None:
    events = change(list(LEGAL))
    assert events != LEGAL
    assert lines_of(judged(WIRE.bytes(numbered(events)))) == []


LEGAL_SCENARIOS = [
    (entry.scenario, dialect)
    for entry in Catalogue.shipped().entries()
    if entry.scenario and entry.scenario.is_specified
    for dialect in entry.scenario.dialects
]

# Rules that a variation breaks: servers that do not follow the specification stream so.
OUTSIDE: dict[str, dict[str, set[str]]] = {
    "openresponses": {
        "no-done": {"framing"},
        "unterminated-end": {"framing"},  # half an event, which clients drop
        "damaged-utf8": {"framing"},
        "rotating-ids": {"item-id-stable"},
        "flat-error": {"stream-types"},
        # annotations and the details of usage are required
        "no-optional-fields": {"stream-types"},
        "empty-completed-output": {"index-stable"},
        "reasoning-text": {"extensions"},  # names that OpenResponses does not have
        "reasoning-summary": {"extensions"},
        "arguments-only-in-item": {"call-lifecycle"},
        "calls-only-in-completed": {"item-announced"},
        "keepalive-events": {"extensions"},
        "future-events": {"extensions"},
        "future-items": {"extensions"},
        "sparse-response": {"stream-types"},
        "openai": {"extensions", "framing"},
        "copilot-response": {"stream-types"},  # prompt_cache_key is required
        "copilot": {"item-id-stable", "stream-types"},
        "lmstudio": {"extensions"},
        "xai": {"stream-types"},
    },
    "chat": {
        "no-done": {"framing"},
        "unterminated-end": {"framing"},
        "damaged-utf8": {"framing"},
        "empty-choices": {
            "chunk-types"
        },  # Azure's packets are chunks without the fields of the envelope
        "filter-packets": {"chunk-types"},
        "null-delta": {"chunk-types"},
        "finish-without-delta": {"chunk-types"},
        "blank-names": {"chunk-types"},  # "" is no type
        "same-index": {"call-fragments"},
        "no-index": {"chunk-types"},
        "no-type": {"call-fragments"},
        "usage-with-finish": {"usage-once"},
        "usage-everywhere": {"usage-once"},
        "no-object": {"chunk-types"},
        "annotations-object": {"chunk-types"},
        "copilot-chunks": {"chunk-types"},
        "drifting-created": {"chunk-stable"},
        "azure": {"chunk-types"},
        "copilot": {"chunk-types"},  # in every chunk, which hides the findings about other fields
        "groq": {"usage-once"},
        "mistral": {"chunk-types", "call-fragments", "usage-once"},  # calls have no type
        "deepseek": {"usage-once"},
        "xai": {"chunk-stable"},
    },
    "vercel-gateway": {
        "unterminated-end": {"framing"},
        "damaged-utf8": {"framing"},
    },
    "vercel-fullstream": {
        "unterminated-end": {"framing"},
        "damaged-utf8": {"framing"},
        "seed": {"one-generation"},  # a mixture that no release streams
        # without steps, a denial of an earlier answer's call seems to be one of this answer
        "no-start-parts": {"run-lifecycle", "block-lifecycle", "result-follows-call"},
        "no-end-parts": {"run-lifecycle"},
    },
    "vercel-ui": {
        "unterminated-end": {"framing"},
        "damaged-utf8": {"framing"},
    },
}


# Departures that break no rule of the kit, whose checks are no stricter than clients are.
TOLERATED = {"chat": {"index-from-one", "copilot-notices"}}
# OpenAI's Responses streams, which OpenResponses was made from, end without [DONE].
OPENAI_ENDS_SO = {"openresponses": {"no-done"}}


@pytest.mark.parametrize("dialect", OUTSIDE)
def test_the_variations_that_are_said_to_depart_are_those_that_break_rules(dialect: str) -> None:
    applicable = {n: each for n, each in VARIATIONS.items() if each.applies_to(dialect)}
    departing = {name for name, each in applicable.items() if each.departs_from(dialect)}
    breaking = OUTSIDE[dialect].keys() - OPENAI_ENDS_SO.get(dialect, set())
    assert departing == breaking | TOLERATED.get(dialect, set())


@pytest.mark.parametrize(
    ("scenario", "dialect"), LEGAL_SCENARIOS, ids=[f"{s.id}@{d}" for s, d in LEGAL_SCENARIOS]
)
def test_a_legal_scenario_breaks_no_must(scenario: Scenario, dialect: str) -> None:
    assert musts(Case(scenario, dialect)) == set()


# Broken only where calls interleave, which they do in none of the few scenarios.
BROKEN_BY_INTERLEAVING = {("chat", "mistral"): {"call-fragments"}}


@lru_cache
def _few_legal(dialect: str, layer: str) -> frozenset[str]:
    """The ids of a few legal scenarios that represent a dialect, and of one to be damaged.

    What they represent is what a variation of a layer changes: events, or how their bytes come.
    """
    changed = features if layer == "events" else delivery
    few, _ = split([Case(s, d) for s, d in LEGAL_SCENARIOS if d == dialect], changed)
    return frozenset((*(case.scenario.id for case in few), "any/replacement-character"))


def _varied() -> Iterator[Any]:
    """Parameters: each dialect with a variation, and whether a few scenarios are enough for it."""
    for dialect in STREAM_RULES:
        for name, variation in VARIATIONS.items():
            if not variation.applies_to(dialect):
                continue
            yield pytest.param(dialect, name, True, id=f"{dialect}-{name}-few")
            yield pytest.param(dialect, name, False, id=f"{dialect}-{name}", marks=pytest.mark.long)


@pytest.mark.parametrize(("dialect", "name", "few"), list(_varied()))
def test_a_variation_of_a_legal_scenario_breaks_only_the_rules_of_the_variation(
    dialect: str, name: str, few: bool
) -> None:
    represented = _few_legal(dialect, VARIATIONS[name].layer)
    varied = [
        Case(scenario, dialect, (name,))
        for scenario, spoken in LEGAL_SCENARIOS
        if spoken == dialect and not (few and scenario.id not in represented)
    ]
    changed = [case for case in varied if not misfit(case) and differs(case)]
    streams = [(case, data) for case in changed for data in recorded_streams(case)]
    assert not [case for case, data in streams if MARK in data]
    broken = set().union(*(musts_of(data, dialect) for _, data in streams))
    rare = BROKEN_BY_INTERLEAVING.get((dialect, name), set()) if few else set()
    assert broken == OUTSIDE[dialect].get(name, set()) - rare


@given(case=cases())
def test_the_mock_streams_any_script_legally(case: Case) -> None:
    dump = recorded_turn(case, 0)
    findings = judge_stream(dump.events, dump.framing)
    assert lines_of([finding for finding in findings if finding.level == "must"]) == []
