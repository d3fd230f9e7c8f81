"""What the messages about a conversation say: earlier words are missing, or stand elsewhere."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from conformance.contract.traits import Traits
from conformance.rules.requests.conversation import turn_history
from mockserver.dialects.conversation import Message
from tests.findings.made import words_of

ONE, TWO = (Message("user", said) for said in ("One.", "Two."))
SAID = Message("assistant", "Fine.")


@pytest.mark.parametrize(
    ("received", "messages"),
    [
        ([ONE, SAID, TWO], []),
        ([TWO, SAID, ONE], ["the user's words stand out of order in the request: 'Two.'"]),
        ([SAID, TWO], ["the user's words are missing from the request: 'One.'"]),
        ([ONE, TWO], ["the model's words are missing from the request: 'Fine.'"]),
    ],
)
def test_words_that_are_not_where_they_were_said_are_missing_or_out_of_order(
    received: list[Message], messages: list[str]
) -> None:
    sent = SimpleNamespace(
        upstream_id=str, received=tuple(received), handed_over=(ONE, SAID, TWO), traits=Traits()
    )
    assert [words_of(each) for each in turn_history.check(cast("Any", sent))] == messages


def test_words_that_were_said_twice_and_came_once_are_missing() -> None:
    sent = SimpleNamespace(
        upstream_id=str, received=(ONE,), handed_over=(ONE, SAID, ONE), traits=Traits()
    )
    (user, model) = turn_history.check(cast("Any", sent))
    assert words_of(user) == "the user's words are missing from the request: 'One.'"
    assert words_of(model) == "the model's words are missing from the request: 'Fine.'"
