"""Compares completed events with recorded ones, whose ids, times and models are of another request.

The mock fills its slots (the id of the response, the time, the model, what echoes the request) for
each request. A recorded value counts as equal to a slot if it has the slot's type, and if it is
what the same field had in the events before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockserver.wire.slots import decoded, slot_of

if TYPE_CHECKING:
    from mockserver.dialects import Dialect

Keys = tuple[str, ...]


class SlotValues:
    """The values that were recorded where the mock has its slots, by slot and path.

    If not ``echoes``, slots that repeat the request are not equal to anything.
    """

    def __init__(self, dialect: Dialect, *, echoes: bool = True) -> None:
        self._samples = decoded(dialect.sample())
        self._echoes = dialect.echoes
        self._may_echo = echoes
        self._known: dict[tuple[str, Keys], Any] = {}

    def same(self, made: Any, recorded: Any, path: Keys = ()) -> bool:
        """Whether a completed value is the recorded one; slots as far as they are known."""
        if name := slot_of(made):
            return self._fits(name, recorded, path)
        if isinstance(made, dict) and isinstance(recorded, dict):
            return made.keys() == recorded.keys() and all(
                self.same(inner, recorded[key], (*path, key)) for key, inner in made.items()
            )
        if isinstance(made, list) and isinstance(recorded, list):
            return len(made) == len(recorded) and all(
                self.same(inner, other, (*path, str(n)))
                for n, (inner, other) in enumerate(zip(made, recorded, strict=True))
            )
        return type(made) is type(recorded) and bool(made == recorded)

    def _fits(self, name: str, recorded: Any, path: Keys) -> bool:
        if (name, path) in self._known:
            known = self._known[name, path]
            return type(known) is type(recorded) and bool(known == recorded)
        if name in self._echoes:
            return self._may_echo
        return type(recorded) is type(self._samples[name]) and recorded != ""

    def learn(self, made: Any, recorded: Any, path: Keys = ()) -> None:
        """Remember the recorded values at the slots of an event; the two are the ``same``."""
        if name := slot_of(made):
            self._known[name, path] = recorded
        elif isinstance(made, dict):
            for key, inner in made.items():
                self.learn(inner, recorded[key], (*path, key))
        elif isinstance(made, list):
            for n, (inner, other) in enumerate(zip(made, recorded, strict=True)):
                self.learn(inner, other, (*path, str(n)))
