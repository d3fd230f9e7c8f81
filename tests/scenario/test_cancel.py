"""When a turn is cancelled: the forms in a scenario."""

import pytest

from mockserver.cases.load import load
from mockserver.scenario.model import Cancel

SAYS = """
title: Stopped
turns:
  - cancel: {cancel}
    says:
      - start: {{text: t}}
      - delta: {{t: Hello}}
      - checkpoint: here
      - end: t
"""
SENDS = """
title: Stopped
dialects: [openresponses]
conduct: deviation
turns:
  - cancel: {cancel}
    sends:
      - response.created
      - response.output_item.added: {{item: {{type: message, id: msg_1}}}}
      - response.content_part.added
      - response.output_text.delta: {{delta: Hello}}
      - checkpoint: here
      - close: stall
    expect: {{parts: [{{text: Hello}}], outcome: failed}}
"""


@pytest.mark.parametrize("form", [SAYS, SENDS], ids=["says", "sends"])
@pytest.mark.parametrize(
    ("written", "cancel"),
    [
        ("{after_parts: 0}", Cancel(after_parts=0)),
        ("{after_parts: 2}", Cancel(after_parts=2)),
        ("{at: here}", Cancel(at="here")),
    ],
)
def test_cancel_says_when_a_turn_is_cancelled(form: str, written: str, cancel: Cancel) -> None:
    scenario = load(form.format(cancel=written).encode(), "stopped.yaml", "any/stopped")
    assert scenario.turns[0].cancel == cancel


def test_a_turn_without_cancel_is_not_cancelled() -> None:
    scenario = load(b"title: Whole\nturns:\n  - says: [{text: a}]\n", "whole.yaml", "any/whole")
    assert scenario.turns[0].cancel is None


def test_the_arguments_of_a_call_may_have_any_length() -> None:
    text = (
        "title: Stopped\nturns:\n  - cancel: {after_parts: 1}\n    says:\n"
        f"      - call: {{id: c1, name: write, input: {{text: {'a' * 5000}}}}}\n"
    )
    scenario = load(text.encode(), "stopped.yaml", "any/stopped")
    assert scenario.turns[0].cancel == Cancel(after_parts=1)
