"""The fault in which the announced length of a body is too long: ``wrong-length:N``.

The whole answer arrives, and the connection is closed before N more bytes have come. A body that is
too short for its answer is ``content-length+stop:PLACE:clean``.

Source: RFC 9112 § 6.3 (the length says where a body ends) and § 8 (a message with fewer bytes is
incomplete).
"""

from __future__ import annotations

import re
from dataclasses import replace

from mockserver.stream_faults.place import items_of
from mockserver.wire.frames import Plan
from mockserver.wire.variation import Break, Family, Variation


def _made(parameter: str) -> Variation | None:
    known = re.fullmatch(r"[1-9][0-9]{0,6}", parameter)
    return _too_long(int(parameter)) if known else None


def _too_long(surplus: int) -> Variation:
    def change(plan: Plan) -> Plan:
        announced = plan.size + surplus
        return replace(plan, transfer=replace(plan.transfer, delimited="length", length=announced))

    return Variation(
        f"wrong-length:{surplus}",
        f"the announced length of the body is {surplus} bytes too long, and the connection closed",
        change_plan=change,
        layer="faults",
        # All of its items arrive, with what closes the stream.
        find_break=lambda steps: Break(len(items_of(steps)) + 1, "cut"),
    )


LENGTH = Family("wrong-length", "a number of bytes", (_too_long(64),), _made)
