"""The ids of responses, for requests that continue one with ``previous_response_id``.

Source: OpenResponses, "previous_response_id".
"""

from __future__ import annotations

from collections import OrderedDict

_MAX_REMEMBERED = 10_000


class Responses:
    """The turn of each response by its id; the oldest are forgotten."""

    def __init__(self) -> None:
        self._turns: OrderedDict[str, int] = OrderedDict()

    def note(self, id_: str, turn: int) -> None:
        """Remember that the response with this id is for this turn."""
        self._turns[id_] = turn
        if len(self._turns) > _MAX_REMEMBERED:
            self._turns.popitem(last=False)

    def turn(self, id_: str) -> int | None:
        """The turn of the response with this id; None if it is not known."""
        return self._turns.get(id_)
