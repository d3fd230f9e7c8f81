"""Compares completed events with recorded ones, whose ids, times and models are of another request.

The mock fills its slots (the id of the response, the time, the model, what echoes the request) for
each request. A recorded value counts as equal to a slot if it has the slot's type, and if it is
what this field has in most events: that some have another one is written down. Of times that
differ, all are written down, since their order and distance may matter.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from mockserver.wire.files import SLOT, url_in_scenario
from mockserver.wire.slots import decode_values, mark, slot_of

if TYPE_CHECKING:
    from mockserver.dialects import Dialect

Keys = tuple[str, ...]

# What the URL of a file of the mock begins with.
_ORIGIN = mark(SLOT)


class SlotValues:
    """The values that were recorded where the mock has its slots, by slot and path.

    If not ``echoes``, slots that repeat the request are not equal to anything.
    """

    def __init__(self, dialect: Dialect, *, echoes: bool = True) -> None:
        self._samples = decode_values(dialect.sample())
        self._echoes = dialect.requests.echoes
        self._may_echo = echoes
        self._counts: defaultdict[tuple[str, Keys], Counter[str]] = defaultdict(Counter)
        self._known: dict[tuple[str, Keys], str] = {}

    def same(self, made: Any, recorded: Any, path: Keys = ()) -> bool:
        """Whether a completed value is the recorded one; slots as far as they are known."""
        if name := slot_of(made):
            return self._fits(name, recorded, path)
        if isinstance(made, str) and made.startswith(_ORIGIN):
            made = url_in_scenario(f"http://mock{made.removeprefix(_ORIGIN)}")
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
        known = self._known.get((name, path))
        if isinstance(recorded, int) and len(self._counts[name, path]) > 1:
            return False
        return self._has_type(name, recorded) and known in (None, json.dumps(recorded))

    def _has_type(self, name: str, recorded: Any) -> bool:
        if name in self._echoes:
            return self._may_echo
        return type(recorded) is type(self._samples[name]) and recorded != ""

    def learn(self, made: Any, recorded: Any, path: Keys = ()) -> None:
        """Count the values at the slots of an event; the most frequent one is that of the slot.

        Where the completed event and the recorded one differ in structure, nothing is counted.
        """
        if name := slot_of(made):
            if self._has_type(name, recorded):
                counts = self._counts[name, path]
                counts[json.dumps(recorded)] += 1
                self._known[name, path] = counts.most_common(1)[0][0]
        elif isinstance(made, dict) and isinstance(recorded, dict):
            for key, inner in made.items():
                if key in recorded:
                    self.learn(inner, recorded[key], (*path, key))
        elif isinstance(made, list) and isinstance(recorded, list):
            for n, (inner, other) in enumerate(zip(made, recorded, strict=False)):
                self.learn(inner, other, (*path, str(n)))
