"""``streamproof lint``: every problem with its file, line and column."""

import re
from pathlib import Path

import pytest

from tests.commands import streamproof
from tests.suite import TRACEBACK, Outputs, scenario

GOOD = """
title: A greeting
source: [the tests of the commands]
turns:
  - says: [{text: Hello there}]
"""
SENDS = """
title: Events one by one
source: [the tests of the commands]
turns:
  - sends: [response.created, response.completed]
    expect: {parts: []}
"""
BROKEN = """
title: Typing mistakes
source: [the tests of the commands]
turns:
  - says: [{txt: Hello there}]
    expect: {parts: [], outcme: completed}
"""
CITED = """
title: A source is cited
source: [the tests of the commands]
turns:
  - says:
      - start: {text: t}
      - delta: {t: Paris}
      - cite: {block: t, url: "https://example.com", title: Paris}
      - end: t
"""
UNFOUNDED = """
title: Nothing says why
turns:
  - says: [{text: Hello there}]
"""
ILLEGAL = """
title: A legal upstream does not send this
source: [the tests of the commands]
dialects: [openresponses]
turns:
  - sends:
      - response.created
      - response.output_item.added: {item: {type: message, id: 7}}
      - response.completed
    expect: {parts: []}
"""

NOT_JSON = """
title: Arguments as Python writes them
source: [the tests of the commands]
turns:
  - says:
      - call: {id: call_1, name: search, arguments: '{"most": NaN}'}
"""

# One of the absent fields is not filled in; all nulls are sent.
DOUBTFUL = """
title: Nulls, and fields that are absent
source: [the tests of the commands]
conduct: deviation
turns:
  - sends:
      - response.created: {sequence_number: null, response: {error: null, x: null}}
      - response.output_item.added: {item: {type: message, id: msg_1, acme: null}}
        absent: [item.status, item.phase]
      - acme:trace: {data: null}
      - raw: "data: null\\n\\n"
      - response.completed:
          response: {metadata: null}
      - unknown: {type: ping, at: null}
    expect: {parts: []}
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Outputs:
    folder = tmp_path_factory.mktemp("lint")
    for id_, text in {
        "good/any/greeting": GOOD,
        "good/openresponses/events": SENDS,
        "cited/any/source": CITED,
        "broken/any/mistyped": BROKEN,
        "broken/any/greeting": GOOD,
        "unfounded": UNFOUNDED,
        "illegal": ILLEGAL,
        "not-json": NOT_JSON,
        "not-json-on-purpose": NOT_JSON
        + "    expect: {parts: [], outcome: failed}\nconduct: deviation\n",
        "doubtful/openresponses/nulls": DOUBTFUL,
        "meant/openresponses/nulls": DOUBTFUL.replace(", item.phase", ""),
    }.items():
        scenario(folder, id_, text)
    (folder / "empty").mkdir()
    (folder / "broken" / "any" / "tabs.yaml").write_text("title: x\n\tturns: y\n", "utf-8")
    lint = ("lint",)
    return streamproof(
        {
            "the catalogue": lint,
            "a folder": [*lint, "good"],
            "a folder of one dialect": [*lint, "good/openresponses"],
            "a file": [*lint, "good/openresponses/events.yaml"],
            "verbose": [*lint, "-v", "cited"],
            "several": [*lint, "good/any", "good/openresponses/events.yaml"],
            "broken": [*lint, "broken"],
            "unfounded": [*lint, "unfounded.yaml"],
            "illegal": [*lint, "illegal.yaml"],
            "not JSON": [*lint, "not-json.yaml"],
            "not JSON, on purpose": [*lint, "not-json-on-purpose.yaml"],
            "doubtful": [*lint, "doubtful"],
            "nulls that are meant": [*lint, "meant"],
            "nowhere": [*lint, "nowhere"],
            "no yaml": [*lint, "good", "nowhere.yaml"],
        },
        folder,
    )


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("the catalogue", "scenarios, no problems"),
        ("a folder", "2 scenarios, no problems"),
        ("a folder of one dialect", "1 scenario, no problems"),
        ("a file", "1 scenario, no problems"),
        ("several", "2 scenarios, no problems"),
        ("nulls that are meant", "1 scenario, no problems"),
        ("not JSON, on purpose", "1 scenario, no problems"),
    ],
)
def test_correct_scenarios_are_counted(ran: Outputs, name: str, message: str) -> None:
    assert ran[name].code == 0, ran[name].text
    assert ran[name].text.endswith(f"{message}\n")


def test_an_absent_field_that_nothing_fills_in_is_a_warning(ran: Outputs) -> None:
    warned = ran["doubtful"]
    assert warned.code == 0, warned.text
    file = Path("doubtful/openresponses/nulls.yaml")
    places = re.findall(r"^(\S+): warning: '([\w.]+)' is absent anyway", warned.text, re.M)
    assert places == [(f"{file}:9:31", "item.phase")]
    assert warned.text.endswith("1 scenario, no problems, 1 warning\n")


def test_verbose_says_where_a_script_is_played_and_why_not_elsewhere(ran: Outputs) -> None:
    first, second, _ = ran["verbose"].text.splitlines()
    assert first.startswith("any/source: played in openresponses, vercel-gateway")
    assert second == "  not in chat: chat has no chunk that carries a citation"


def test_each_problem_has_its_place_and_the_nearest_word(ran: Outputs) -> None:
    broken = ran["broken"]
    assert broken.code == 4
    mistyped = Path("broken/any/mistyped.yaml")
    assert f"{mistyped}:5:13: unknown key 'txt'\n    did you mean 'text'?" in broken.text
    assert f"{mistyped}:6:25: unknown key 'outcme'\n    did you mean 'outcome'?" in broken.text
    assert f"{Path('broken/any/tabs.yaml')}:2:1: not YAML: " in broken.text
    assert "3 scenarios, 3 problems" in broken.text


def test_a_scenario_without_a_reason_is_a_problem(ran: Outputs) -> None:
    assert ran["unfounded"].code == 4
    assert "unfounded.yaml:2:1: nothing says why this is right" in ran["unfounded"].text


def test_an_event_that_a_legal_upstream_does_not_send_is_a_problem(ran: Outputs) -> None:
    assert ran["illegal"].code == 4
    assert "illegal.yaml:8:60: turn 1 in openresponses: stream-types" in ran["illegal"].text
    assert "item.id: 7 is not of type 'string'" in ran["illegal"].text
    assert "each at its index; otherwise say 'conduct: deviation' or" in ran["illegal"].text


def test_arguments_that_are_not_json_are_not_those_of_a_legal_upstream(ran: Outputs) -> None:
    lines = ran["not JSON"].text.splitlines()
    assert ran["not JSON"].code == 4
    for dialect in ("openresponses", "chat", "vercel-gateway"):
        (line,) = (each for each in lines if f"turn 1 in {dialect}: arguments-parse: " in each)
        assert line.startswith("not-json.yaml:2:1: ")
        assert line.endswith("""are not JSON: '{"most": NaN}'""") or "is not JSON" in line
    assert "right: arguments that parse as JSON; otherwise say 'conduct: deviation'" in lines[1]


@pytest.mark.parametrize("name", ["nowhere", "no yaml"])
def test_a_missing_path_is_an_error_of_the_command_line(ran: Outputs, name: str) -> None:
    assert ran[name].code == 4
    assert "does not exist" in ran[name].text


def test_no_problem_shows_a_traceback(ran: Outputs) -> None:
    assert [name for name, each in ran.items() if TRACEBACK in each.text] == []
