"""``streamproof lint`` accepts a scenario as legal only if its stream breaks no must."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.commands import Called, call

HEAD = """\
title: A stream
source: [the tests of the rules about streams]
dialects: [openresponses]
conduct: {conduct}
turns:
  - {script}
"""


@dataclass(frozen=True, slots=True)
class Illegal:
    """A script with an illegal stream, and the line and message that lint must report."""

    name: str
    script: str
    line: int
    message: str


ILLEGAL = (
    Illegal(
        "an event without its item",
        """sends:
      - response.created
      - response.in_progress
      - comment: keepalive
      - response.output_text.delta: {item_id: msg_1, output_index: 0, content_index: 0, delta: Hi}
      - response.completed
    expect: {parts: [{text: Hi}]}""",
        line=10,
        message="item-announced: response.output_text.delta speaks of the item at index 0",
    ),
    Illegal(
        "a status that is not the event's",
        """sends:
      - response.created: {response: {status: completed}}
      - response.in_progress
      - response.completed
    expect: {parts: []}""",
        line=7,
        message="status-honest: response.created carries a response whose status is 'completed'",
    ),
    Illegal(
        "no terminal event",
        """sends:
      - response.created
      - response.in_progress
    expect: {parts: [], outcome: failed}""",
        line=8,
        message="terminal-once: the stream ends, but the response does not",
    ),
    Illegal(
        "a stream that is cut",
        "says: [{text: Hi}, {close: cut}]",
        line=1,
        message="the stream does not close but ends with 'cut'",
    ),
    Illegal(
        "raw bytes that are no event",
        """sends:
      - response.created
      - response.in_progress
      - raw: "data: {oops\\n\\n"
      - response.completed
    expect: {parts: []}""",
        line=9,
        message="framing: the data is not JSON",
    ),
    Illegal(
        "JSON in place of a stream",
        """status: 200
    body: {object: response}
    expect: {parts: [], outcome: failed}""",
        line=1,
        message="a stream was asked for; the status 200 promises one",
    ),
    Illegal(
        "a second attempt that is cut",
        """attempts:
      - {status: 503, expect: {parts: [], outcome: failed}}
      - says: [{text: Hi}, {close: cut}]""",
        line=1,
        message="the stream does not close but ends with 'cut'",
    ),
    Illegal(
        "nothing but a comment",
        """sends:
      - comment: keepalive
    expect: {parts: [], outcome: failed}""",
        line=1,
        message="terminal-once: the stream ends, but the response does not",
    ),
)


def _lint(folder: Path, illegal: Illegal, conduct: str) -> Called:
    file = folder / "scenario.yaml"
    file.write_text(HEAD.format(conduct=conduct, script=illegal.script), "utf-8")
    return call("lint", file)


@pytest.mark.parametrize("illegal", ILLEGAL, ids=lambda illegal: illegal.name)
def test_lint_reports_an_illegal_step_at_its_line(tmp_path: Path, illegal: Illegal) -> None:
    ran = _lint(tmp_path, illegal, "legal")
    assert ran.code == 4, ran.err
    assert f"scenario.yaml:{illegal.line}:" in ran.out
    assert f"turn 1 in openresponses: {illegal.message}" in ran.out
    assert "1 scenario, 1 problem\n" in ran.out


def test_a_stream_of_chunks_is_judged_by_the_rules_about_chunks(tmp_path: Path) -> None:
    script = """sends:
      - delta: {role: assistant, content: ""}
      - delta: {content: "Hi"}
    expect: {parts: [{text: "Hi"}], outcome: failed}"""
    file = tmp_path / "scenario.yaml"
    written = HEAD.format(conduct="legal", script=script).replace("openresponses", "chat")
    file.write_text(written, "utf-8")
    ran = call("lint", file)
    assert ran.code == 4, ran.err
    assert "scenario.yaml:8:" in ran.out
    assert "turn 1 in chat: finish-once: the stream ends, but choice 0 does not" in ran.out


@pytest.mark.parametrize("illegal", ILLEGAL, ids=lambda illegal: illegal.name)
def test_a_declared_deviation_may_break_a_specification(tmp_path: Path, illegal: Illegal) -> None:
    ran = _lint(tmp_path, illegal, "violation")
    assert ran.code == 0, ran.out


SEARCHED = """sends:
      - response.created
      - response.in_progress
      - response.output_item.added: {{item: {{type: web_search_call}}}}
      - {event}
      - response.output_item.done
      - response.completed
    expect: {{parts: []}}"""


@pytest.mark.parametrize(
    ("event", "profile", "said"),
    [
        ("response.web_search_call.searching", "openai", "1 scenario, no problems"),
        ("response.web_search_call.searching", "", "say 'profile: openai', by which it is legal"),
        ("response.web_search_call.serching", "openai", "did you mean 'response.web_search_call."),
        ("response.web_search_call.searching: {itm_id: ws}", "openai", "did you mean 'item_id'?"),
        ("unknown: {type: response.wiki}", "openai", "'response.wiki' is not within its specifica"),
        ("response.web_search_call.searching", "lmstudio", "say 'profile: openai', by which it is"),
        ("response.web_search_call.searching", "open-ai", "has no profile 'open-ai'"),
        ("response.web_search_call.searching: {output_index: 4}", "openai", "extensions"),
    ],
)
def test_profiles_decide_what_is_legal(tmp_path: Path, event: str, profile: str, said: str) -> None:
    written = HEAD.format(conduct="legal", script=SEARCHED.format(event=event))
    file = tmp_path / "scenario.yaml"
    file.write_text(f"profile: {profile}\n{written}" if profile else written, "utf-8")
    assert said in call("lint", file).out
