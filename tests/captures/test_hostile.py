"""Whatever a capture holds, it is imported or refused with a reason; nothing else happens."""

import copy
import json
import random
import time
from collections.abc import Iterator
from typing import Any

import pytest

from mockserver.cases.case import Case
from mockserver.dialects import DIALECTS
from mockserver.foundation.faults import KitError, UserError
from streamproof._captures.importing import read_conversations, remove_secrets
from streamproof._captures.redaction import Redaction
from streamproof._captures.scenario import make_scenario
from tests.captures.playing import CATALOGUE, References, captured, references
from tests.representative import REACHES

ODD: list[Any] = [
    *(None, True, -1, 0, 10**400, 1.5, 1e300, "", "x" * 5000, "\ud83d", "\x00\x1b\u202e\u2028"),
    *([], {}, [[]], {"": {}}, {"a.b": None}, {"type": "response.created"}, [{"index": 7}]),
    *("&a", "!!python/name:os", "mock:/files/a/b/c", "[DONE]", {"k" * 2000: 1}),
]
SEEDS = {"few": range(8), "all": range(8, 300)}


@pytest.fixture(scope="module")
def found() -> Iterator[References]:
    with references() as driven:
        yield driven


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items if isinstance(value, dict | list) else ():
        yield value, key
        yield from _places(inner) if isinstance(inner, dict | list) else ()


def _spoilt(value: Any, chance: random.Random, times: int) -> Any:
    """A JSON value in which some values are others, doubled or gone."""
    value = copy.deepcopy(value)
    for _ in range(times):
        if not (places := list(_places(value))):
            break
        holder, key = chance.choice(places)
        change = chance.randrange(6)
        if change == 0:
            del holder[key]
        elif change == 1 and isinstance(holder, list):
            holder.insert(chance.randrange(len(holder) + 1), copy.deepcopy(holder[key]))
        else:
            holder[key] = chance.choice(ODD)
    return value


def _stream(dialect: str, chance: random.Random) -> bytes:
    """A stream of the catalogue with other values, as JSON Lines or as an event stream."""
    scenarios = [e.scenario for e in CATALOGUE.entries() if e.scenario]
    cases = [Case(s, dialect) for s in scenarios if dialect in s.dialects]
    exchange = next(e for case in iter(lambda: chance.choice(cases), None) for e in captured(case))
    events = [e.data for e in exchange.dump.events if e.kind == "event" and e.data]
    spoilt = [json.dumps(e) for e in _spoilt(events, chance, chance.randrange(1, 8))]
    if chance.random() < 0.5:
        return "\n".join(spoilt).encode()
    return "".join(f"data: {each}\n\n" for each in spoilt).encode()


@pytest.mark.parametrize("reach", REACHES)
@pytest.mark.parametrize("dialect", list(DIALECTS))
def test_a_hostile_stream_is_played_or_refused(found: References, dialect: str, reach: str) -> None:
    imported = 0
    for seed in SEEDS[reach]:
        data = _stream(dialect, random.Random(f"{dialect} {seed}"))
        try:
            (held, *_) = read_conversations([("x", data)], dialect)
            held = remove_secrets(held, Redaction())
            made = make_scenario(held, [], "captured/x", found[dialect])
        except KitError as error:
            raise AssertionError(f"seed {seed}: {error}\n{data.decode()}") from error
        except UserError:
            continue
        imported += 1
        head = made.text.split("turns:")[0]
        assert "it plays" not in head, f"seed {seed}: {made.text}"
        assert "is played otherwise" not in head, f"seed {seed}: {made.text}"
    assert imported


def _chunk(**fields: Any) -> bytes:
    choice = {"index": 0, "delta": {"content": "Hi"}, "finish_reason": "stop"}
    return f"data: {json.dumps({'choices': [choice], **fields})}\n\n".encode()


TOO_LONG = {
    "an event with a long text": _chunk(x="x" * (1 << 21)),
    "events that share a long text": _chunk(x="x" * (1 << 21)) * 3,
    "many events": b"".join(_chunk(x=f"{n:1000}") for n in range(1500)),
    "more events than a scenario may have": _chunk() * 20_001,
}


@pytest.mark.parametrize("data", TOO_LONG.values(), ids=list(TOO_LONG))
def test_what_is_too_long_for_a_scenario_is_refused(found: References, data: bytes) -> None:
    (held,) = read_conversations([("the-capture", data)], "chat")
    with pytest.raises(UserError, match=r"the-capture: .* scenario") as raised:
        make_scenario(held, [], "captured/x", found["chat"])
    assert "judge --stream" in str(raised.value)


@pytest.mark.parametrize("field", ["index", "id", "type", "function"])
def test_a_fragment_of_a_call_may_have_any_values(found: References, field: str) -> None:
    fragment = {"index": 0, "id": "call_1", "function": {"name": "read", "arguments": "{}"}}
    for odd in ODD:
        choice = {"index": 0, "delta": {"tool_calls": [{**fragment, field: odd}]}}
        data = f"data: {json.dumps({'choices': [choice]})}\n\n".encode() + _chunk()
        (held,) = read_conversations([("x", data)], "chat")
        made = make_scenario(remove_secrets(held, Redaction()), [], "captured/x", found["chat"])
        assert len(made.scenario.turns) == 1


def test_an_event_with_many_fields_is_imported_soon(found: References) -> None:
    data = _chunk(**{f"field{n}": n for n in range(4000)})
    (held,) = read_conversations([("x", data)], "chat")
    began = time.process_time()
    assert "field3999: 3999" in make_scenario(held, [], "captured/x", found["chat"]).text
    assert time.process_time() - began < 15


def test_turns_that_a_scenario_has_no_room_for_are_left_out_and_counted(found: References) -> None:
    turn = '{"id": "%s", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n[DONE]\n'
    data = "".join(turn % n for n in range(20)).encode()
    (held,) = read_conversations([("x", data)], "chat")
    made = make_scenario(held, [], "captured/x", found["chat"])
    assert len(made.scenario.turns) == 16
    assert "4 answers more; a scenario has at most 16 turns" in made.text


def _documents() -> dict[str, Any]:
    chunk = {"choices": [{"index": 0, "delta": {"content": "Hi"}, "finish_reason": "stop"}]}
    body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "Hello"}]}
    content = {"mimeType": "text/event-stream", "text": f"data: {json.dumps(chunk)}\n\n"}
    message = {"eventName": "message", "data": json.dumps(chunk)}
    headers = [{"name": "content-type", "value": "text/event-stream"}]
    entry = {
        "request": {
            "method": "POST",
            "url": "https://x/v1",
            "postData": {"text": json.dumps(body)},
        },
        "response": {"status": 200, "headers": headers, "content": content},
        "_eventSourceMessages": [message],
        "_close": "cut",
    }
    event = {"n": 0, "at": 0.1, "kind": "event", "type": "chunk", "data": chunk}
    exchange = {
        "n": 0, "path": "/v1", "body": body, "headers": {}, "writes": [], "status": 200,
        "case": "any/x@chat", "turn": 0, "answer": None, "events": [event],
    }  # fmt: skip
    return {
        "HAR": {"log": {"creator": {"name": "x"}, "entries": [entry, entry]}},
        "journal": {"exchanges": [exchange, {**exchange, "answer": {"headers": {}, "body": "x"}}]},
    }


@pytest.mark.parametrize("name", list(_documents()))
def test_a_hostile_document_is_read_or_refused(name: str) -> None:
    read = 0
    for seed in range(200):
        chance = random.Random(f"{name} {seed}")
        spoilt = _spoilt(_documents()[name], chance, chance.randrange(1, 4))
        try:
            read += bool(read_conversations([("x", json.dumps(spoilt).encode())], ""))
        except UserError:
            continue
    assert read > 50
