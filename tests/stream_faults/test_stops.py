"""What is sent of a stream that stops at a place, and which places a stream has."""

import pytest

from mockserver.cases import case as case_ids
from mockserver.cases.case import Case, make_case, misfit
from mockserver.cases.load import load
from mockserver.cases.render import find_break, find_cancel, render
from mockserver.cases.variations import variation
from mockserver.dialects import DIALECTS
from mockserver.foundation.faults import UserError
from mockserver.scenario.model import Scenario
from mockserver.stream_faults.stops import STALLED
from mockserver.wire.frames import Gate
from mockserver.wire.slots import fill

TEXT = """
title: A text in two pieces
turns:
  - says: [{text: Hello there, in: 2}]
"""
TWO_TURNS = """
title: Two turns
turns:
  - says: [{text: One}]
    then: {user: And then?}
  - attempts:
      - status: 503
        expect: {parts: [], outcome: failed}
      - says: [{text: Two}]
conduct: deviation
"""


def scenario(text: str) -> Scenario:
    return load(text.encode(), "own/x.yaml", "any/x")


def broken_by(fault: str, text: str = TEXT, dialect: str = "chat") -> Case:
    found = Case(scenario(text), dialect, tuple(fault.split("+")))
    assert misfit(found) == ""
    return found


def sent(played: Case, turn: int = 0, attempt: int = 1) -> bytes:
    values = DIALECTS[played.dialect].sample()
    plan = render(played, turn, attempt).plan.filled(values)
    return b"".join(fill(write.pieces, values) for write in plan.byte_writes)


WHOLE = sent(Case(scenario(TEXT), "chat"))
EVENTS = [event + b"\n\n" for event in WHOLE.split(b"\n\n")[:-1]]


@pytest.mark.parametrize(
    ("place", "arrives"),
    [
        ("0", b""),
        ("first", b""),
        ("2", b"".join(EVENTS[:2])),
        ("2:1", b"".join(EVENTS[:2]) + b"d"),
        ("2:30", b"".join(EVENTS[:2]) + EVENTS[2][:30]),
        # A place inside an event never has all of its last line, and so no part of its end.
        ("2:99999", b"".join(EVENTS[:2]) + EVENTS[2][:-3]),
        ("2:line", b"".join(EVENTS[:2]) + EVENTS[2][:-1]),
        ("terminal", b"".join(EVENTS[:3])),
        ("end", b"".join(EVENTS[:-1])),
    ],
)
@pytest.mark.parametrize("how", ["clean", "cut", "reset", "half-close", "stall"])
def test_only_what_is_before_a_place_is_sent(place: str, arrives: bytes, how: str) -> None:
    played = broken_by(f"stop:{place}:{how}")
    assert sent(played) == arrives
    assert render(played, 0).plan.close == how


def test_a_part_of_an_event_is_no_item_of_the_stream() -> None:
    plan = render(broken_by("stop:2:5:cut"), 0).plan
    assert len(plan.sent) == 2
    assert (plan.byte_writes[-1].first, plan.byte_writes[-1].last) == (2, 1)


def test_a_stop_is_combined_with_other_variations_and_comes_last() -> None:
    lines = sent(broken_by("stop:2:cut+crlf"))
    assert lines == b"".join(EVENTS[:2]).replace(b"\n", b"\r\n")
    cuts = render(broken_by("stop:2:5:cut+cut:17"), 0).plan.filled(DIALECTS["chat"].sample())
    assert b"".join(write.data for write in cuts.byte_writes) == b"".join(EVENTS[:2]) + b"data:"
    assert len(cuts.byte_writes[0].data) == 17


def test_a_seed_chooses_the_same_place_again() -> None:
    places = {seed: sent(broken_by(f"stop:seed-{seed}:cut")) for seed in range(30)}
    assert places == {seed: sent(broken_by(f"stop:seed-{seed}:cut")) for seed in range(30)}
    assert len({*places.values()}) > 5
    assert all((WHOLE + b"x").startswith(each) for each in places.values())


def test_a_fault_breaks_the_last_answer_alone() -> None:
    played = broken_by("stop:1:cut", TWO_TURNS)
    whole = Case(played.scenario, "chat")
    assert sent(played, 0) == sent(whole, 0)
    assert render(played, 1, 1) == render(whole, 1, 1)
    assert sent(played, 1, 2) == sent(whole, 1, 2)[: len(sent(played, 1, 2))] != b""
    assert find_break(played, 0, 1) is None
    assert find_break(played, 1, 1) is None
    assert find_break(played, 1, 2) is not None


def test_the_host_cancels_once_the_upstream_stalls_before_its_ending() -> None:
    played = broken_by("stop:2:5:stall")
    last = render(played, 0).plan.writes[-1]
    assert last == Gate(STALLED, 1)
    stopping = find_cancel(played, 0)
    assert stopping is not None
    assert stopping.at == STALLED
    assert find_cancel(broken_by("stop:end:stall"), 0) is None
    assert find_cancel(broken_by("stop:2:cut"), 0) is None


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        ("stop:6:cut", "its stream has 5 items, and none has the number 6"),
        ("stop:5:1:cut", "its stream has 5 items, and none has the number 5"),
        ("error:end:object", "the response has ended before this place"),
        ("junk:5", "there is no event at '5' of its stream"),
        ("error:1:failed", "is one of openresponses, not of 'chat'"),
        ("stop:1:cut+junk:1", "are two faults; an answer breaks once"),
    ],
)
def test_a_place_that_a_stream_does_not_have_is_refused(fault: str, why: str) -> None:
    with pytest.raises(UserError) as refused:
        make_case(scenario(TEXT), case_ids.parse(f"any/x@chat+{fault}"))
    assert why in refused.value.problems[0].message


def test_a_case_that_ends_without_a_stream_does_not_break() -> None:
    answer = "title: An error\nturns: [{status: 500, expect: {parts: [], outcome: failed}}]"
    assert "ends without one" in misfit(Case(scenario(answer), "chat", ("http:500",)))


@pytest.mark.parametrize(
    "name",
    [
        *("stop", "stop:cut", "stop:1", "stop:1:0:cut", "stop:nowhere:cut", "stop:1:gently"),
        *("junk:end", "junk:1:2", "error:1", "error:1:line:object", "error:1:loud"),
        *("http:200", "http:600", "http:429:retry-", "body:pdf"),
    ],
)
def test_an_unknown_parameter_is_refused_with_those_that_there_are(name: str) -> None:
    with pytest.raises(UserError) as refused:
        variation(name)
    assert refused.value.problems[0].hint.startswith(f"write {name.partition(':')[0]}: and ")


@pytest.mark.parametrize(
    ("dialect", "event", "damaged"),
    [
        ("chat", 2, 'data: {"object":"chat.completion.chunk","cho'),
        (
            "openresponses",
            5,
            "event: response.output_text.delta\n"
            'data: {"type":"response.output_text.delta","sequenc',
        ),
        ("vercel-gateway", 4, 'data: {"type":"text-delta","de'),
    ],
)
def test_a_damaged_event_says_only_what_it_is(dialect: str, event: int, damaged: str) -> None:
    found = sent(broken_by(f"junk:{event}", dialect=dialect)).decode()
    assert found.split("\n\n")[event] == damaged
