"""The ids of responses, for requests that go on from one of them instead of telling it again.

Source: OpenResponses, "previous_response_id".
"""

from __future__ import annotations

from collections import OrderedDict

_MOST = 10_000


class Responses:
    """Which turn each response of a conversation has answered; the oldest are forgotten."""

    def __init__(self) -> None:
        self._turns: OrderedDict[str, int] = OrderedDict()

    def note(self, id_: str, turn: int) -> None:
        """A response with this id answers that turn."""
        self._turns[id_] = turn
        if len(self._turns) > _MOST:
            self._turns.popitem(last=False)

    def turn(self, id_: str) -> int | None:
        """The turn that a response has answered, while it is known."""
        return self._turns.get(id_)
