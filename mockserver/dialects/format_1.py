"""Scenario files of format 1, in which a null may remove a field.

What a null in ``sends`` means there depends on the event. Where a dialect lays the fields of a step
over those that it derives, a null removes the field; elsewhere, and in lists, it is sent. Each
dialect says which of its events are of the first kind.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mockserver.dialects.json_fields import nulls, without

if TYPE_CHECKING:
    from collections.abc import Collection

    from mockserver.scenario.model import FieldPath, Send


def nulls_removed(
    send: Send, *, sent: Collection[FieldPath] = (), ignored: Collection[FieldPath] = ()
) -> Send:
    """The event with its nulls as absent fields.

    Nulls at the paths in ``sent`` stay, and those in ``ignored`` have no effect.
    """
    found = [path for path in nulls(send.fields) if path not in sent]
    absent = tuple(path for path in found if path not in ignored)
    return replace(send, fields=without(send.fields, found), absent=absent)
