"""A turn of a case is rendered once, with slots for what differs between requests."""

import json

import pytest

from mockserver.cases.case import Case, make_case, parse
from mockserver.cases.catalogue import Catalogue
from mockserver.cases.load import load
from mockserver.cases.render import Rendered, Renderings, render
from mockserver.dialects import DIALECTS
from mockserver.foundation.faults import UserError
from mockserver.scenario.model import Scenario
from mockserver.wire.frames import Write
from mockserver.wire.slots import fill, mark

CATALOGUE = Catalogue.shipped()
SCENARIOS = [entry.scenario for entry in CATALOGUE.entries() if entry.scenario]
MARK = mark("").encode()


def scenario(text: str, id_: str = "openresponses/x") -> Scenario:
    return load(text.encode(), "x.yaml", id_)


HELLO = scenario("title: A greeting\nturns: [{says: [{text: Hello}]}]\n")


def sent(rendered: Rendered, dialect: str = "openresponses") -> list[bytes]:
    sample = DIALECTS[dialect].sample()
    return [fill(w.pieces, sample) for w in rendered.plan.writes if isinstance(w, Write)]


def with_placeholders(rendered: Rendered, dialect: str) -> list[bytes]:
    """The writes, and the non-streaming answer, in which a placeholder is left."""
    answer = rendered.non_streaming
    answered = [] if answer is None else [fill(answer, DIALECTS[dialect].sample())]
    return [data for data in (*sent(rendered, dialect), *answered) if MARK in data]


# Varied scenarios are checked where they are played: tests/cases/variations/test_readings.py.
@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_placeholder_is_left_in_the_bytes_of_any_scenario(dialect: str) -> None:
    for each in (Case(s, dialect) for s in SCENARIOS if dialect in s.dialects):
        assert with_placeholders(render(each, 0), dialect) == []


def test_a_text_of_a_scenario_cannot_be_taken_for_a_placeholder() -> None:
    text = "slot.0123456789abcdef.id"
    written = b"".join(sent(render(Case(_saying(text), "openresponses"), 0)))
    assert text.encode() in written


def _saying(text: str) -> Scenario:
    return scenario(f"title: Says\nturns: [{{says: [{{text: {json.dumps(text)}}}]}}]\n")


def test_the_non_streaming_answer_is_the_final_response_of_the_stream() -> None:
    rendered = render(Case(HELLO, "openresponses"), 0)
    assert rendered.non_streaming is not None
    whole = json.loads(fill(rendered.non_streaming, DIALECTS["openresponses"].sample()))
    final = b"".join(sent(rendered)).split(b"\n\n")[-3].split(b"data: ")[1]
    assert whole == json.loads(final)["response"]
    assert (whole["id"], whole["status"]) == ("resp_1", "completed")


@pytest.mark.parametrize(
    "steps",
    [
        "[response.created]",
        "[{response.completed: {response: null}}]",
        '[{response.completed: {response: "x"}}]',
    ],
)
def test_a_response_without_an_ending_has_no_non_streaming_answer(steps: str) -> None:
    text = f"title: No end\nconduct: violation\nturns: [{{sends: {steps}, expect: {{parts: []}}}}]"
    assert render(Case(scenario(text), "openresponses"), 0).non_streaming is None


def test_a_case_id_is_resolved_to_a_case() -> None:
    found = make_case(HELLO, parse("openresponses/x@openresponses+crlf+no-done"))
    assert found == Case(HELLO, "openresponses", ("crlf", "no-done"))
    assert str(found) == "openresponses/x@openresponses+crlf+no-done"
    assert make_case(HELLO, parse("openresponses/x")) == Case(HELLO, "openresponses")
    assert make_case(HELLO, parse("openresponses/x"), "openresponses") == Case(
        HELLO, "openresponses"
    )


@pytest.mark.parametrize(
    ("id_", "message"),
    [
        ("openresponses/x@chat", "is not played in 'chat' (it speaks openresponses)"),
        ("openresponses/x+clrf", "no variation is called 'clrf'\n    did you mean 'crlf'?"),
    ],
)
def test_a_missing_case_is_reported(id_: str, message: str) -> None:
    with pytest.raises(UserError) as raised:
        make_case(HELLO, parse(id_))
    assert message in str(raised.value)


def test_a_route_of_another_dialect_plays_nothing() -> None:
    with pytest.raises(UserError, match="is not played in 'chat'"):
        make_case(HELLO, parse("openresponses/x"), "chat")


def test_variations_of_the_framing_add_up() -> None:
    both = Case(HELLO, "openresponses", ("crlf", "no-done", "no-event-line", "no-space"))
    written = b"".join(sent(render(both, 0)))
    assert written.startswith(b'data:{"type":"response.created"')
    assert written.endswith(b"}\r\n\r\n")
    assert b"[DONE]" not in written


def test_a_turn_is_rendered_once() -> None:
    renderings = Renderings()
    first = renderings.get(Case(HELLO, "openresponses"), 0)
    assert renderings.get(Case(HELLO, "openresponses"), 0) is first
    assert renderings.get(Case(HELLO, "openresponses", ("crlf",)), 0) != first


def test_an_edited_scenario_is_rendered_again() -> None:
    renderings = Renderings()
    for text in ("Hello", "Good bye"):
        written = b"".join(sent(renderings.get(Case(_saying(text), "openresponses"), 0)))
        assert f'"delta":"{text}"'.encode() in written


def test_the_most_recently_used_renderings_are_kept() -> None:
    renderings = Renderings(most=2)
    cases = [Case(HELLO, "openresponses", names) for names in ((), ("crlf",), ("no-done",))]
    first, second = (renderings.get(each, 0) for each in cases[:2])
    assert renderings.get(cases[0], 0) is first
    renderings.get(cases[2], 0)
    assert renderings.get(cases[0], 0) is first
    assert renderings.get(cases[1], 0) is not second


def test_the_size_of_kept_renderings_is_limited() -> None:
    size = render(Case(HELLO, "openresponses"), 0).plan.size
    renderings = Renderings(most_bytes=3 * size)
    scenarios = [_saying("Hello") for _ in range(4)]
    first, *_, last = (renderings.get(Case(each, "openresponses"), 0) for each in scenarios)
    assert renderings.get(Case(scenarios[-1], "openresponses"), 0) is last
    assert renderings.get(Case(scenarios[0], "openresponses"), 0) is not first


def test_a_rendering_above_the_size_limit_is_played_and_not_kept() -> None:
    renderings = Renderings(most_bytes=10)
    first = renderings.get(Case(HELLO, "openresponses"), 0)
    assert first.plan.size > 10
    assert renderings.get(Case(HELLO, "openresponses"), 0) is not first
