"""The server's log: a line for each request, and what --verbose adds."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from mockserver.cases.render import render
from mockserver.server.journal import Exchange, RequestLog, describe_exchange
from mockserver.server.state import State
from mockserver.wire.playback import WriteRecord
from tests.server import choose_case


@pytest.fixture
def exchange(state: State) -> Exchange:
    """A stream that was sent in full."""
    case = choose_case(state, "any/hello")
    plan = render(case, 0).plan
    writes = [WriteRecord(each.at, 0.0, each.first, each.last, 9) for each in plan.byte_writes]
    asked = Exchange(0, 0.0, "POST", "/s/any/hello/v1/responses", {}, case=str(case), turn=0)
    return replace(asked, status=200, plan=plan, writes=writes, why="chosen by the base URL")


def lines(exchange: Exchange, verbose: bool = False, **changes: Any) -> list[str]:
    return list(describe_exchange(replace(exchange, **changes), "17:30:00", verbose))


def test_a_line_says_what_answered_and_how_it_ended(exchange: Exchange) -> None:
    count = len(exchange.plan.sent) if exchange.plan else 0
    (line,) = lines(exchange)
    case = "any/hello@openresponses                         "
    assert line == f"17:30:00  200  {case}  {count} events, complete"


@pytest.mark.parametrize(
    ("turn", "turns", "told"), [(0, 1, ""), (0, 2, " turn 0"), (1, 2, " turn 1")]
)
def test_a_line_has_the_turn_if_there_are_several(
    exchange: Exchange, turn: int, turns: int, told: str
) -> None:
    (line,) = lines(exchange, turn=turn, turns=turns)
    assert line.split("  ")[2] == f"any/hello@openresponses{told}"


def test_columns_stand_below_each_other(exchange: Exchange) -> None:
    changed: tuple[dict[str, Any], ...] = ({}, {"turn": 2, "turns": 3}, {"plan": None, "case": ""})
    told = [lines(exchange, **each)[0] for each in changed]
    assert {line[61:65] for line in told} == {" " * 4}
    assert " " not in {line[65] for line in told}


@pytest.mark.parametrize(
    ("changes", "colour"),
    [
        ({}, "32"),
        ({"left": (1.0, "closed the connection")}, "33"),
        ({"plan": None, "status": 404, "refused": "no such route"}, "31"),
        ({"plan": None, "status": 0}, "31"),
    ],
)
def test_on_a_terminal_the_status_has_the_colour_of_the_end(
    exchange: Exchange, changes: dict[str, Any], colour: str
) -> None:
    (line,) = describe_exchange(
        replace(exchange, **changes), "17:30:00", verbose=False, coloured=True
    )
    assert line.startswith(f"17:30:00  \x1b[{colour}m")
    assert "\x1b" not in "".join(lines(exchange, **changes))


def test_what_a_request_says_cannot_control_the_terminal(exchange: Exchange) -> None:
    asked = {"plan": None, "case": "", "path": "/\x1b[2J", "problems": ("\x1b[2J is wrong",)}
    assert "\x1b" not in "".join(lines(exchange, verbose=True, **asked))


@pytest.mark.parametrize(
    ("changes", "end"),
    [
        ({"turn": 2, "turns": 3}, "  200  any/hello@openresponses turn 2  "),
        ({"attempt": 3}, "  attempt 3, "),
        ({"left": (1.0, "closed the connection")}, "events; the client closed the connection"),
        ({"writes": [WriteRecord(0.0, 0.0, 0, 0, 9)]}, "1 event; the server was stopped"),
        (
            {"plan": None, "case": ""},
            "  200  POST /s/any/hello/v1/responses                    a plain answer",
        ),
        (
            {"plan": None, "case": "", "status": 404, "refused": "no such route\nthere are …"},
            "  404  POST /s/any/hello/v1/responses                    no such route",
        ),
    ],
)
def test_other_ends_are_told(exchange: Exchange, changes: dict[str, Any], end: str) -> None:
    (line,) = lines(exchange, **changes)
    assert end in line


def test_verbose_adds_the_reason_and_mistakes(exchange: Exchange) -> None:
    late = [
        WriteRecord(write.at, 1.5, write.first, write.last, write.size) for write in exchange.writes
    ]
    _, *more = lines(exchange, verbose=True, problems=("input: is missing",), writes=late)
    assert more == [
        "          POST /s/any/hello/v1/responses",
        "          chosen by the base URL",
        "          input: is missing",
        "          events were up to 1.5 s late: the server or the reader was busy",
    ]


def test_verbose_adds_what_a_wrong_name_is_near_to(exchange: Exchange) -> None:
    refused = "no scenario is called 'any/helo'\nthe nearest are\n  any/hello: its name differs"
    _, *more = lines(exchange, verbose=True, plan=None, case="", why="", refused=refused)
    assert more == ["          the nearest are", "          any/hello: its name differs"]


async def test_of_many_requests_at_once_the_first_are_logged(
    exchange: Exchange, capsys: pytest.CaptureFixture[str]
) -> None:
    log = RequestLog()
    for _ in range(1_200):
        log(exchange)
    while not (said := capsys.readouterr().err):  # noqa: ASYNC110 (the log has no event)
        await asyncio.sleep(0.01)
    *logged, last = said.splitlines()
    assert len(logged) == 100
    assert last == "… and 1,100 more requests, which the journal has"
