"""Formats a finding as one line of a baseline file."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

# Values that differ in every run: ids, the time at which a chunk was created, the ids that the AI
# SDK and Effect give to calls without one and to calls for approval, and the ids of runs.
_VARYING = (
    (re.compile(r"(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])"), "ID"),
    (re.compile(r"(?<=chatcmpl-)[0-9a-f]+(?=…)"), "ID"),
    (re.compile(r'(?<="created":)\d{10}(?!\d)|(?<=…)\d{1,9}(?=,"model":)'), "TIME"),
    (re.compile(r"(?<=')r-[\w-]{12}(?=')"), "RUN"),
    (re.compile(r"(?<=')c-[\w-]{12}(?=-\d+')"), "COUNT"),
    (re.compile(r"(?<=http://127\.0\.0\.1:)\d+/r/[\w-]{12}"), "PORT/r/RUN"),
    (re.compile(r"(\b(?:id:?|asked for|a call) ')(?:id_)?[0-9A-Za-z]{16}(?=')"), r"\1ID"),
)


def line_of(case: str, finding: Mapping[str, Any]) -> str:
    """A finding as a line: the case and some fields of ``Finding.to_json``, separated by tabs.

    The case is that of the result, followed by ``#N`` if the finding is about turn N above 0. In
    its message, values that differ from run to run are replaced by words.
    """
    fields = (
        f"{case}#{finding['turn']}" if finding["turn"] else case,
        finding["rule"],
        finding["level"],
        _number(finding["event"]),
        _number(finding["part"]),
        json.dumps(_stable(finding["message"])),
    )
    return "\t".join(fields)


def case_and_rule(line: str) -> tuple[str, str]:
    """The case and the rule of a line; both are empty if the line is not a finding."""
    fields = line.split("\t")
    return (fields[0], fields[1]) if len(fields) > 1 else ("", "")


def _number(value: int | None) -> str:
    return "-" if value is None else str(value)


def _stable(message: str) -> str:
    for varying, word in _VARYING:
        message = varying.sub(word, message)
    return message
