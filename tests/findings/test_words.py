from dataclasses import dataclass

import pytest

from conformance.findings.finding import Finding, Kind
from conformance.findings.words import describe, finding_json, headline_of, message_of, right_of


@dataclass(frozen=True, slots=True)
class Call:
    name: str
    id: str = ""


class EmittedAgain(Kind):
    """A call came more than once, in ``text`` or as
    ``data``.

    ``went`` is where.
    """

    call: Call
    times: int
    events: tuple[int, ...]
    went: str = "text"
    late: bool = False

    message = (
        "the call {call.name!r}[[ with id {call.id!r}| without an id]] came {times:time|times}, "
        "at {events:events} and part {part}[[{late:if}, after the end]]"
    )
    right = "one part, {went:phrase}"
    headline = "{call.name} came again"
    same_by = ("went",)
    phrases = {"went": {"text": "in the text", "data": "as data"}}


def finding(**values: object) -> Finding:
    given = {"call": Call("read", "c1"), "times": 2, "events": (3, 4, 5, 6)} | values
    return Finding("call-once", "must", EmittedAgain(**given), "§ 1", event=3, part=7)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({}, "the call 'read' with id 'c1' came 2 times, at events 3 to 6 and part 7"),
        (
            {"call": Call("read"), "times": 1, "events": (3,), "late": True},
            "the call 'read' without an id came 1 time, at event 3 and part 7, after the end",
        ),
    ],
)
def test_sections_of_a_message_depend_on_its_values(values: dict[str, object], words: str) -> None:
    assert message_of(finding(**values)) == words


class OtherCount(Kind):
    """Another count than the one that was sent, if one was sent."""

    is_sent: bool
    sent: int = 0

    message = "[[{is_sent:if}{sent} was sent|none was sent]]"


def test_a_condition_alone_decides_on_its_section_so_that_other_values_may_be_zero() -> None:
    said = [message_of(Finding("r", "must", OtherCount(sent), "")) for sent in (True, False)]
    assert said == ["0 was sent", "none was sent"]


def test_phrases_are_words_for_values() -> None:
    assert right_of(finding(went="data")) == "one part, as data"


def test_an_outline_has_the_names_of_values_and_all_optional_words() -> None:
    assert describe(EmittedAgain) == (
        "A call came more than once, in `text` or as `data`.",
        "the call «call.name»[ with id «call.id»| without an id] came «times» times, at «events» "
        "and part «part»[, after the end]",
    )


def test_a_headline_cuts_values_and_then_takes_shorter_words() -> None:
    long = finding(call=Call("read" * 50, "c1"))
    assert headline_of(long, 90) == (
        "the call 'readreadreadreadread'… with id 'c1' came 2 times, at events 3 to 6 and part 7"
    )
    assert headline_of(finding(), 20) == "read came again"
    assert headline_of(finding(), 10) == "read came…"


def test_json_has_values_and_words_and_cuts_long_values() -> None:
    value = finding_json(finding(call=Call("x" * 5000)))
    assert value["kind"] == "emitted-again"
    assert value["message"].startswith("the call 'xxx")
    assert value["values"]["times"] == 2
    assert value["values"]["events"] == [3, 4, 5, 6]
    assert len(value["values"]["call"]["name"]) == 2000


def test_causes_may_be_told_apart_by_an_attribute_of_a_value() -> None:
    kind = finding().kind
    assert isinstance(kind, EmittedAgain)
    with_name = type("ByName", (EmittedAgain,), {"same_by": ("call.name",)})
    assert with_name(kind.call, 2, (3,)).same() == ("read",)


def test_causes_are_told_apart_by_the_fields_that_a_kind_names() -> None:
    assert finding(went="data").kind.same() == ("data",)
    assert finding().kind.same() == finding(times=9).kind.same()
