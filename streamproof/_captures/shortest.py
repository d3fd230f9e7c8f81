"""Finds the shortest way to write an event in ``sends``: what the protocol derives is left out.

There is no table of what is derived. The dialect's own completion is asked: an event is completed
from no fields at all, those that differ from the recorded event are given, those that were filled
in and were not recorded are made absent, until nothing differs. Then each field that was given is
left out again if the event stays the same, since giving one may have made another superfluous.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mockserver.foundation.json_fields import mapping, merge, remove_fields
from mockserver.scenario.script import Send

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mockserver.foundation.json_fields import FieldPath
    from streamproof._captures.slots import SlotValues

    Fields = Mapping[str, Any]
    Complete = Callable[[Send], Fields]

_ROUNDS = 5
# Each field is left out in turn, which takes as long as making the whole event.
_MOST_FIELDS = 300


def shortest_send(
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
            send = _corrected(send, fields, absent)
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


def _corrected(send: Send, fields: Fields, absent: list[FieldPath]) -> Send:
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
