"""Finds the shortest way to write an event in ``sends``: what the protocol derives is left out.

There is no table of what is derived. The dialect's own completion is asked: an event is completed
from no fields at all, those that differ from the recorded event are given, those that were filled
in and were not recorded are made absent, until nothing differs. Then each field that was given is
left out again if the event stays the same, since giving one may have made another superfluous.

The mock fills its slots (the id of the response, the time, the model, what echoes the request) for
each request. A recorded value counts as equal to a slot if it has the slot's type, and if it is
what this field has in most events: that some have another one is written down. Of times that
differ, all are written down, since their order and distance may matter.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from mockserver.dialects import Dialect
from mockserver.foundation.json_fields import FieldPath, mapping, merge, remove_fields
from mockserver.scenario.script import Send
from mockserver.wire.files import SLOT, url_in_scenario
from mockserver.wire.slots import decode_values, mark, slot_of

Fields = Mapping[str, Any]
Complete = Callable[[Send], Fields]


_ROUNDS = 5
# Each field is left out in turn, which takes as long as making the whole event.
_MOST_FIELDS = 300


def find_shortest_send(
    send: Send, recorded: Fields, complete: Complete, slots: SlotValues
) -> Send | None:
    """A send with as few fields as possible more than it has, that makes the recorded data.

    None if no fields make it. ``complete`` is the data that a send has as the next event; neither
    it nor the slots remember anything.
    """
    return _Search(recorded, complete, slots).found(send)


class _Search:
    def __init__(self, recorded: Fields, complete: Complete, slots: SlotValues) -> None:
        self._recorded = recorded
        self._complete = complete
        self._slots = slots

    def found(self, send: Send) -> Send | None:
        """A send with fields added until it makes the event, and then with the fewest of them."""
        for _ in range(_ROUNDS):
            made = self._complete(send)
            fields, absent = self._differences(made, self._recorded)
            if not fields and not absent:
                return self._reduced(send)
            send = _correct(send, fields, absent)
        return None

    def _differences(
        self, made: Fields, recorded: Fields, path: FieldPath = ()
    ) -> tuple[dict[str, Any], list[FieldPath]]:
        """The recorded fields that were made otherwise, and the paths of those not recorded."""
        fields: dict[str, Any] = {}
        absent = [(*path, name) for name in made if name not in recorded]
        for name, value in recorded.items():
            if name in made and self._slots.same(made[name], value, (*path, name)):
                continue
            if isinstance(value, dict) and isinstance(made.get(name), dict):
                inner, gone = self._differences(made[name], value, (*path, name))
                absent += gone
                if inner:
                    fields[name] = inner
            else:
                fields[name] = value
        return fields, absent

    def _reduced(self, send: Send) -> Send:
        """A send without fields that are made anyway; one of very many is left as it is."""
        if _field_count(send.fields) + len(send.absent) > _MOST_FIELDS:
            return send
        for path in send.absent:
            fewer = replace(send, absent=tuple(each for each in send.absent if each != path))
            send = fewer if self._makes(fewer) else send
        return self._with_fewer_fields(send, ())

    def _with_fewer_fields(self, send: Send, path: FieldPath) -> Send:
        for name in list(_at(send.fields, path)):
            inner = (*path, name)
            fewer = replace(send, fields=remove_fields(send.fields, [inner]))
            if self._makes(fewer):
                send = fewer
            elif isinstance(_at(send.fields, path)[name], dict):
                send = self._with_fewer_fields(send, inner)
        return send

    def _makes(self, send: Send) -> bool:
        return self._slots.same(self._complete(send), self._recorded)


def _correct(send: Send, fields: Fields, absent: list[FieldPath]) -> Send:
    given = merge(dict(send.fields), dict(fields))
    paths = dict.fromkeys((*send.absent, *absent))
    return replace(
        send, fields=given, absent=tuple(path for path in paths if not _given(given, path))
    )


def _given(fields: Fields, path: FieldPath) -> bool:
    """Whether fields set a path, or a value on the way to it that is no object."""
    here: Any = fields
    for name in path:
        if not isinstance(here, dict):
            return True
        if name not in here:
            return False
        here = here[name]
    return True


def _field_count(fields: Fields) -> int:
    inner = (value for value in fields.values() if isinstance(value, dict))
    return len(fields) + sum(map(_field_count, inner))


def _at(fields: Fields, path: FieldPath) -> dict[str, Any]:
    value: Any = fields
    for name in path:
        value = mapping(value).get(name)
    return mapping(value)


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
