"""Results files written by hand: complete, cut off, and edited."""

import copy
import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from conformance.contract.traits import Traits
from conformance.findings.finding import Finding
from conformance.report.results import Result, Status

Json = dict[str, Any]

ADAPTER = "mine"
CASE = "any/refusal@openresponses"

DELTA: Json = {
    "n": 0,
    "at": 0.1,
    "type": "response.refusal.delta",
    "data": {"delta": "I'm sorry, I cannot help with that.", "output_index": 0, "content_index": 0},
    "kind": "event",
}
# A correct run of any/refusal, as far as the rules check it: what was sent, emitted and how it
# ended.
RIGHT: Json = {
    "case": CASE,
    "scenario": "any/refusal",
    "dialect": "openresponses",
    "vocabulary": "vscode",
    "adapter": ADAPTER,
    "verdict": "completed",
    "requests": [
        {
            "n": 0, "at": 0.0, "method": "POST", "path": "/v1/responses", "status": 200, "turn": 0,
            "why": "its only one", "body": {}, "problems": [], "events": [DELTA], "left": None,
            "ended": 0.3, "attempt": 1, "answer": None, "wire": None,
        }
    ],
    "parts": [
        {
            "n": 0,
            "at": 0.2,
            "part": {"type": "text", "value": "I'm sorry, I cannot help with that."},
        }
    ],
    "checkpoints": [],
    "cancelled": None,
    "ends": [{"at": 0.25, "outcome": "completed"}],
    "notes": [],
}  # fmt: skip


def changed(document: Json, place: tuple[str | int, ...], value: Any) -> Json:
    """The document with another value at a place."""
    other = copy.deepcopy(document)
    inner: Any = other
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    return other


def header(traits: Mapping[str, str] | None = None, *names: str, version: str = "0.1.0") -> Json:
    """The first line of a results file."""
    declared = {**asdict(Traits()), **(traits or {})}
    adapters = [
        {"name": n, "vocabulary": "vscode", "dialects": ["openresponses"], "traits": declared}
        for n in names or (ADAPTER,)
    ]
    kit = {"name": "streamproof", "version": version}
    return {"kind": "header", "format": 1, "kit": kit, "adapters": adapters}


def result(
    transcript: Json | None = RIGHT,
    status: Status = "passed",
    *findings: Finding,
    case: str = CASE,
    adapter: str = ADAPTER,
    why: str = "",
) -> Json:
    """A result line; the transcript is written unchanged."""
    line = Result(case, adapter, status, findings, None, why).to_json()
    verdict = (transcript or {}).get("verdict", "not-run")
    return {**line, "transcript": transcript, "verdict": verdict}


def footer(exit_: int = 0, **counts: int) -> Json:
    """The last line of a results file."""
    return {"kind": "footer", "counts": counts, "exit": exit_}


def written(*lines: Json) -> bytes:
    """The content of a results file with these lines."""
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)
