"""The variation ``copilot-chunks``: chunks with exactly the fields that Copilot's proxy sends.

Shown by recordings of the proxy in the tests of Copilot Chat (microsoft/vscode-copilot-chat at
31acd00, ``stream.sseProcessor.spec.ts``), by line: texts (669, June 2024, and 818, March 2025),
a call that is the whole answer (739, September 2024), and calls on whose code the proxy comments
(758, September 2024); the details of usage by CopilotC-Nvim/CopilotChat.nvim#1168 (June 2025).
``copilot_usage`` is read by Copilot Chat; no recording of chunks has it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mockserver.dialects.chat.chunks import calls, choices, finish_reasons
from mockserver.dialects.chat.variations.envelopes import flagged
from mockserver.dialects.chat.variations.extras import UNFILTERED
from mockserver.dialects.chat.variations.openai import first_delta
from mockserver.dialects.chat.variations.steps import SPOKEN, each_choice, each_chunk
from mockserver.foundation.json_fields import mapping
from mockserver.wire.event import Data, Event, Step, events_in
from mockserver.wire.variation import Variation

_FILTERED: Data = {
    "content_filter_offsets": {"check_offset": 0, "start_offset": 0, "end_offset": 0},
    "content_filter_results": UNFILTERED,
}
_DETAILS: Data = {
    "prompt_tokens_details": {"cached_tokens": 0},
    "completion_tokens_details": {"accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0},
}
# Fields of a choice that the proxy leaves out if they are null.
_LEFT_OUT = ("finish_reason", "logprobs")


def _copilot(steps: Sequence[Step]) -> Sequence[Step]:
    begun = [_without_refusal(step) for step in first_delta(steps)]
    deltas = [
        mapping(choice.get("delta")) for event in events_in(begun) for choice in choices(event.data)
    ]
    last: Mapping[str, Any] = next((delta for delta in reversed(deltas) if _calls(delta)), {})
    return each_chunk(_chunk)(each_choice(lambda choice: _choice(choice, last))(begun))


def _calls(delta: Mapping[str, Any]) -> bool:
    """Whether a delta has a part of a call, in today's form or the legacy one."""
    return bool(calls(delta) or delta.get("function_call"))


def _without_refusal(step: Step) -> Step:
    """The step without a null refusal, which the proxy does not send."""
    if not isinstance(step, Event):
        return step
    (without,) = each_choice(_choice_without_refusal)([step])
    return without


def _choice_without_refusal(choice: Data) -> Data:
    delta = mapping(choice.get("delta"))
    if "refusal" not in delta or delta["refusal"]:
        return choice
    return {**choice, "delta": {name: v for name, v in delta.items() if name != "refusal"}}


def _chunk(data: Data) -> Data:
    account = {"copilot_usage": {"token_details": [], "total_nano_aiu": 0}}
    ended = account if finish_reasons(data) else {}
    fields = {"system_fingerprint": "fp_5b1f6c0a2d", **ended, **data}
    usage = mapping(data.get("usage"))
    return {**fields, "usage": {**_DETAILS, **usage}} if usage else fields


def _choice(choice: Data, last_call: Mapping[str, Any]) -> Data:
    """A choice: with filter results beside a text, with comments beside a call.

    ``last_call`` is the last delta of the answer with a part of a call; empty if there is none.
    """
    changed = {k: v for k, v in choice.items() if not (k in _LEFT_OUT and v is None)}
    if not isinstance(delta := choice.get("delta"), dict):
        return changed
    ends = bool(choice.get("finish_reason"))
    called = delta if _calls(delta) else last_call if ends else {}
    if called or ends:
        delta = {"content": None, **delta}
    if called:
        return {**changed, "delta": flagged(delta) if calls(called) else delta}
    is_text = ends or isinstance(delta.get("content"), str)
    return {**(_FILTERED if is_text else {}), **changed, "delta": delta}


COPILOT = (
    Variation(
        "copilot-chunks",
        "choices have filter results beside a text and comments beside the code of a call, null "
        "content beside a call and a finish, and no null finish_reason and logprobs, as GitHub "
        "Copilot's proxy sends them (not within OpenAI's specification)",
        change_steps=_copilot,
        dialects=SPOKEN,
        departs_in=SPOKEN,
    ),
)
