"""Converts events of scenario files of format 1, in which a null may remove a field.

In format 1, the meaning of a null in ``sends`` depends on the event. If the dialect merges the
fields of the step over derived ones, a null removes the field; otherwise, and in arrays, it is
sent. Each dialect defines which of its events are merged.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mockserver.dialects.json_fields import nulls, without

if TYPE_CHECKING:
    from collections.abc import Collection

    from mockserver.scenario.script import FieldPath, Send


def nulls_removed(
    send: Send, *, sent: Collection[FieldPath] = (), ignored: Collection[FieldPath] = ()
) -> Send:
    """The event with its null fields declared as absent instead.

    Nulls at the paths in ``sent`` are kept, and those at the paths in ``ignored`` are dropped.
    """
    found = [path for path in nulls(send.fields) if path not in sent]
    absent = tuple(path for path in found if path not in ignored)
    return replace(send, fields=without(send.fields, found), absent=absent)
