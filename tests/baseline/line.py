"""A finding as one line of text."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

# What is made anew for every run: ids, the time at which a chunk was created, and the ids that the
# AI SDK gives to calls which have none.
_MADE_ANEW = (
    (re.compile(r"(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])"), "ID"),
    (re.compile(r'(?<="created":)\d{10}(?!\d)'), "TIME"),
    (re.compile(r"(\bid:? ')[0-9A-Za-z]{16}(?=')"), r"\1ID"),
)


def line_of(case: str, finding: Mapping[str, Any]) -> str:
    """A finding of a case, as ``Finding.to_json`` gives it: its fields, with tabs between them.

    The case is that of the result, and behind it ``#N`` where the finding is about turn N above 0.
    In its message words stand for what differs from run to run.
    """
    fields = (
        f"{case}#{finding['turn']}" if finding["turn"] else case,
        finding["rule"],
        finding["level"],
        _number(finding["event"]),
        _number(finding["part"]),
        json.dumps(_settled(finding["message"])),
    )
    return "\t".join(fields)


def case_and_rule(line: str) -> tuple[str, str]:
    """What a line is about; both are empty for one that is no finding."""
    fields = line.split("\t")
    return (fields[0], fields[1]) if len(fields) > 1 else ("", "")


def _number(value: int | None) -> str:
    return "-" if value is None else str(value)


def _settled(message: str) -> str:
    for anew, stands_for_it in _MADE_ANEW:
        message = anew.sub(stands_for_it, message)
    return message
