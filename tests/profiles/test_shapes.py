"""The events of a profile have the fields that the recordings of its upstream have."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import pytest

from conformance.dialects.openresponses.customs import HOSTED
from mockserver.dialects.openresponses.events import GROUPS
from tests.data import DATA, needs_data
from tests.profiles import published
from tests.profiles.published import PYTHON, SDK
from tests.profiles.shapes import Shapes, recorded, sent, shapes

FOLDER = DATA / "recordings"


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recording and the script of the same situation, which is played as a profile.

    ``earlier`` are fields that the upstream has stopped sending since, and ``later`` those that it
    sends only since, as newer recordings show.
    """

    dialect: str
    played: tuple[str, ...]
    script: str
    earlier: frozenset[str] = frozenset()
    later: frozenset[str] = frozenset()


ANSWER = """\
sends:
  - response.created
  - response.in_progress
  - response.output_item.added: {item: {type: reasoning}}
  - response.output_item.done
  - response.output_item.added
  - response.content_part.added
  - response.output_text.delta: {delta: See.}
  - response.output_text.annotation.added: {annotation: {type: url_citation}}
  - response.output_text.done
  - response.content_part.done
  - response.output_item.done
  - response.completed"""
FAILURE = """\
sends:
  - response.created
  - response.in_progress
  - error: {error: {code: insufficient_quota}}
  - response.failed"""
TEXT = """\
says:
  - text: See it.
    in: 2"""
CALL = """\
says:
  - call: {id: call_1, name: read, input: {path: a}}
    in: 2"""


def _in_response(*names: str) -> frozenset[str]:
    return frozenset(f".response.{name}" for name in names)


# What api.openai.com has added to its events, by the first recording that has it; the recordings
# are those of vercel/ai, packages/openai/src/responses/__fixtures__, at ed857f5.
NOVEMBER_2025 = _in_response("prompt_cache_retention")  # openai-mcp-tool.1
DECEMBER_2025 = _in_response("completed_at")  # openai-mcp-tool-approval.1
FEBRUARY_2026 = _in_response("presence_penalty", "frequency_penalty")  # openai-compaction.1
JULY_2026 = {
    *_in_response("moderation", "tool_usage", "reasoning.context", "reasoning.mode"),
    *_in_response("usage.input_tokens_details.cache_write_tokens"),
    ".item[reasoning].content",  # programmatic-tool-calling.1
}
SINCE_2026 = frozenset(FEBRUARY_2026 | JULY_2026)
SINCE_DECEMBER = SINCE_2026 | DECEMBER_2025
SINCE_NOVEMBER = SINCE_DECEMBER | NOVEMBER_2025


def _openai(later: frozenset[str], script: str = ANSWER) -> Recorded:
    return Recorded("openresponses", ("openai",), script, later=later)


# Filters reported an error until November 2024, every delta had a role until then, and chunks have
# had a model and a fingerprint since September 2024 (copilot-proxy-L756).
_ERROR = frozenset(
    f".{place}[].content_filter_results.error{field}"
    for place in ("choices", "prompt_filter_results")
    for field in ("", ".code", ".message")
)
_JUNE_2024 = Recorded(
    "chat",
    ("copilot",),
    TEXT,
    earlier=_ERROR | {".choices[].delta.role=null"},
    # The recordings have no usage: it was not requested.
    later=frozenset({".model", ".system_fingerprint", ".usage", ".copilot_usage"}),
)

# The details of usage are shown by CopilotC-Nvim/CopilotChat.nvim#1168 (June 2025). Copilot Chat
# reads copilot_usage; no recording of chunks has it.
_IN_FINISH = frozenset(
    {".copilot_usage", ".usage.prompt_tokens_details", ".usage.completion_tokens_details"}
)
FUNCTION = """\
sends:
  - delta: {role: assistant, content: null, function_call: {name: read, arguments: ""}}
  - delta: {function_call: {arguments: "{}"}}
  - finish: {reason: function_call}"""

RECORDED = {
    "openai-apply-patch-tool.1.jsonl": _openai(SINCE_DECEMBER),
    "openai-code-interpreter-tool.1.jsonl": _openai(SINCE_NOVEMBER),
    "openai-error.1.jsonl": _openai(SINCE_DECEMBER, FAILURE),
    "openai-image-generation-tool.1.jsonl": _openai(SINCE_NOVEMBER),
    "openai-local-shell-tool.1.jsonl": _openai(SINCE_NOVEMBER),
    "openai-mcp-tool-approval.1.jsonl": _openai(SINCE_2026),
    "openai-web-search-tool.1.jsonl": _openai(SINCE_DECEMBER),
    "copilot-proxy-L667.chat.sse": _JUNE_2024,
    "copilot-proxy-L694.chat.sse": _JUNE_2024,
    "copilot-proxy-L715.chat.sse": replace(_JUNE_2024, script=FUNCTION),
    # Begins without a role; line 739 of the same test, of the same day, has one.
    "copilot-proxy-L756.chat.sse": Recorded(
        "chat", ("copilot", "no-role"), CALL, earlier=_ERROR, later=_IN_FINISH
    ),
}

# Below these are the values of the request, the items of the tools that were used, and citations.
NOT_COMPARED = re.compile(
    r"^\.response\.(tools|output)\[|^\.response\.text\.format\.|annotations\[|^\.annotation\."
)


@needs_data
@pytest.mark.parametrize("name", RECORDED)
def test_a_profile_sends_the_fields_of_a_recording(name: str) -> None:
    known = RECORDED[name]
    theirs = _comparable(shapes(recorded((FOLDER / name).read_text("utf-8"))))
    ours = _comparable(shapes(sent(known.dialect, known.script, *known.played)))
    assert theirs.keys() <= ours.keys()
    for kind, fields in theirs.items():
        assert not {path for path in fields if _is_in(path, known.later)}
        assert not {path for path in ours[kind] if _is_in(path, known.earlier)}
        then = {path for path in fields if not _is_in(path, known.earlier)}
        now = {path for path in ours[kind] if not _is_in(path, known.later)}
        assert now == then, kind


TWO_CALLS = """\
says:
  - call: {id: call_1, name: read, input: {path: a}}
  - call: {id: call_2, name: read, input: {path: b}}"""
REFUSAL = """\
says:
  - refusal: No."""
REASONING = """\
says:
  - reasoning: Hm.
  - text: See it."""
SEALED_CALL = """\
says:
  - reasoning: {encrypted: b3BhcXVl}
  - call: {id: call_1, name: read, input: {path: a}}"""

PUBLISHED = {
    SDK.format("chat", "openai-text"): ("chat", "openai", TEXT, published.OPENAI_TEXT),
    PYTHON.format("2018feb6"): ("chat", "openai", CALL, published.OPENAI_ONE_CALL),
    PYTHON.format("f82268f2"): ("chat", "openai", TWO_CALLS, published.OPENAI_TWO_CALLS),
    PYTHON.format("173417d5"): ("chat", "openai", REFUSAL, published.OPENAI_REFUSAL),
    SDK.format("responses", "programmatic-tool-calling.1"): (
        "openresponses", "openai", SEALED_CALL, published.OPENAI_RESPONSE
    ),
    SDK.format("responses", "github-copilot-id-rotation.1"): (
        "openresponses", "copilot", REASONING, published.COPILOT_RESPONSE
    ),
}  # fmt: skip


@pytest.mark.parametrize("source", PUBLISHED)
def test_a_profile_sends_the_fields_of_a_published_recording(source: str) -> None:
    dialect, profile, script, events = PUBLISHED[source]
    theirs, ours = _comparable(shapes(events)), _comparable(shapes(sent(dialect, script, profile)))
    if source.startswith("openai/openai-python"):
        # Its recordings of 2024 are older than the other fields of a chunk.
        theirs, ours = _choices_only(theirs), _choices_only(ours)
    assert ours == theirs


def _choices_only(found: Shapes) -> Shapes:
    kept = {
        k: frozenset(p for p in paths if p.startswith(".choices")) for k, paths in found.items()
    }
    return {kind: paths for kind, paths in kept.items() if kind != "usage"}


def _comparable(found: Shapes) -> Shapes:
    """The shapes without hosted tools, and without what depends on the request."""
    return {
        kind: frozenset(_without_value(path) for path in paths if not NOT_COMPARED.search(path))
        for kind, paths in found.items()
        if not _is_hosted(kind)
    }


def _is_hosted(kind: str) -> bool:
    """Whether an event belongs to a tool that runs at OpenAI; scenarios do not use them."""
    type_, _, item = kind.partition(" ")
    return item in HOSTED or (type_.startswith("response.") and type_ not in GROUPS)


def _without_value(path: str) -> str:
    """The path without the note that its value is null, where the request decides on the value."""
    return path.removesuffix("=null") if path.startswith(".response.") else path


def _is_in(path: str, names: frozenset[str]) -> bool:
    """Whether a path is one of these, or the path of a field below one of them."""
    return any(path == name or path.startswith((f"{name}.", f"{name}[")) for name in names)
