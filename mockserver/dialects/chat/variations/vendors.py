"""Variations towards the chunks of api.openai.com, Azure OpenAI and GitHub Copilot's proxy.

Shown by recordings:

- api.openai.com: in vercel/ai at ed857f5 (February 2026),
  ``packages/openai/src/chat/__fixtures__/openai-text.chunks.txt`` has the fields and the first
  delta of a text; in openai/openai-python at e43b4224 (September 2024),
  ``.inline-snapshot/external`` has the first deltas of one call (``2018feb6``), several calls
  (``f82268f2``) and a refusal (``173417d5``).
- Azure OpenAI with its default filter: ``azure-model-router.1.chat.jsonl`` (November 2025).
- Mistral: ``mistral-reasoning.chat.jsonl`` (January 2026).
- Copilot's proxy: the tests of Copilot Chat (microsoft/vscode-copilot-chat at 31acd00,
  ``stream.sseProcessor.spec.ts``), by line: texts (669, June 2024, and 818, March 2025), a call
  that is the whole answer (739, September 2024), and calls on whose code the proxy comments (758,
  September 2024); the details of usage by CopilotC-Nvim/CopilotChat.nvim#1168 (June 2025).
  ``copilot_usage`` is read by Copilot Chat; no recording of chunks has it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from mockserver.dialects.chat.chunks import calls, choices, finish_reasons
from mockserver.dialects.chat.variations.envelopes import UNFILTERED, flag_code
from mockserver.dialects.chat.variations.steps import (
    departing,
    each_choice,
    each_chunk,
    each_delta,
    is_chunk,
    map_chunks,
)
from mockserver.foundation.json_fields import listed, mapping, omit
from mockserver.wire.event import Data, Step, events_in
from mockserver.wire.variation import Variation

_BEGINS: Data = {"role": "assistant", "content": ""}
_PADDING = "q7Rw2LmZx0Kc"

_PREDICTED: Data = {"accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0}
_DETAILS: Data = {
    "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
    "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0, **_PREDICTED},
}


def _add_fields(steps: Sequence[Step]) -> Sequence[Step]:
    """Add ``service_tier``, ``system_fingerprint`` and ``obfuscation`` to every chunk.

    The report of the usage gets its details.
    """
    sent = count()
    return map_chunks(
        lambda chunk: replace(chunk, data=_pad(chunk.data, next(sent)), declinable=("obfuscation",))
    )(steps)


def _pad(data: Data, n: int) -> Data:
    padding = {"obfuscation": _PADDING[: n * 5 % len(_PADDING) + 1]}
    fields = {"service_tier": "default", "system_fingerprint": "fp_5b1f6c0a2d", **data, **padding}
    usage = mapping(data.get("usage"))
    return {**fields, "usage": _DETAILS | usage} if usage else fields


def first_delta(steps: Sequence[Step]) -> Sequence[Step]:
    """Begin with what follows: a text, the only call, several calls, or a refusal."""
    at = next((n for n, step in enumerate(steps) if is_chunk(step)), None)
    if at is None or at + 1 == len(steps) or _single_delta(steps[at]) != _BEGINS:
        return steps
    following = _single_delta(steps[at + 1])
    indexes = {call.get("index") for delta in _deltas(steps) for call in calls(delta)}
    only_call = bool(calls(following)) and len(indexes) == 1
    if only_call:
        begin = {"role": "assistant", "content": None, **following, "refusal": None}
    elif calls(following):
        begin = {"role": "assistant", "content": None}
    elif "refusal" in following:
        begin = {"role": "assistant", "content": None, "refusal": ""}
    else:
        begin = {**_BEGINS, "refusal": None}
    first = each_choice(lambda choice: {**choice, "delta": begin})([steps[at]])
    return [*steps[:at], *first, *steps[at + 1 + only_call :]]


def _single_delta(step: Step) -> Data:
    """The delta of a chunk with one choice that does not end; empty for every other step."""
    found = list(choices(step.data)) if is_chunk(step) else []
    is_other = len(found) != 1 or found[0].get("finish_reason")
    return {} if is_other else mapping(found[0].get("delta"))


def _deltas(steps: Sequence[Step]) -> list[Data]:
    return [
        mapping(each.get("delta")) for event in events_in(steps) for each in choices(event.data)
    ]


OPENAI = (
    Variation(
        "openai-fields",
        "chunks have a service tier, a fingerprint and, unless the request declines it, padding, "
        "and the usage has details (legal), as api.openai.com sends them",
        change_steps=_add_fields,
    ),
    Variation(
        "openai-first-delta",
        "the first delta has a null refusal beside a text, null content before calls, and the only "
        "call itself (legal), as api.openai.com sends it",
        change_steps=first_delta,
    ),
)


_JAILBREAK: Data = {"jailbreak": {"filtered": False, "detected": False}}


def _imitate_azure(steps: Sequence[Step]) -> Sequence[Step]:
    return each_chunk(_azure_chunk)(each_choice(_azure_choice)(steps))


def _azure_chunk(data: Data) -> Data:
    """A chunk without a tier and fingerprint, or the first chunk with one more filter's result."""
    if results := listed(data.get("prompt_filter_results")):
        return {**data, "prompt_filter_results": list(map(_add_jailbreak, results))}
    return {**omit(data, ("service_tier",)), "system_fingerprint": None}


def _add_jailbreak(result: Any) -> Any:
    if not isinstance(found := mapping(result).get("content_filter_results"), dict):
        return result
    return {**result, "content_filter_results": _JAILBREAK | found}


def _azure_choice(choice: Data) -> Data:
    """A choice with the filter results of its text, which are empty if it has none."""
    said = mapping(choice.get("delta")).get("content")
    return {"content_filter_results": UNFILTERED if said else {}, **choice}


AZURE = (
    Variation(
        "azure-chunks",
        "choices have filter results, and the fingerprint is null (legal), as Azure sends them",
        change_steps=_imitate_azure,
    ),
)


def _imitate_mistral(steps: Sequence[Step]) -> Sequence[Step]:
    """Send an answer with reasoning in pieces: each delta of it, and of its text, is a list."""
    thinks = any(delta.get("reasoning_content") for delta in _deltas(steps))
    return each_delta(_in_pieces)(steps) if thinks else steps


def _in_pieces(delta: Data) -> Data:
    found: list[Data] = []
    if thought := delta.get("reasoning_content"):
        found.append({"type": "thinking", "thinking": [{"type": "text", "text": thought}]})
    if said := delta.get("content"):
        found.append({"type": "text", "text": said})
    return {**omit(delta, ("reasoning_content",)), "content": found} if found else delta


MISTRAL = (
    departing(
        "content-pieces",
        "the content of an answer with reasoning is a list of pieces, which are thoughts and "
        "texts, as Mistral sends it",
        _imitate_mistral,
    ),
)


_FILTERED: Data = {
    "content_filter_offsets": {"check_offset": 0, "start_offset": 0, "end_offset": 0},
    "content_filter_results": UNFILTERED,
}
_COPILOT_DETAILS: Data = {
    "prompt_tokens_details": {"cached_tokens": 0},
    "completion_tokens_details": _PREDICTED,
}
# Fields of a choice that the proxy leaves out if they are null.
_LEFT_OUT = ("finish_reason", "logprobs")


def _imitate_copilot(steps: Sequence[Step]) -> Sequence[Step]:
    begun = each_delta(_remove_null_refusal)(first_delta(steps))
    last: Data = next((delta for delta in reversed(_deltas(begun)) if _has_calls(delta)), {})
    return each_chunk(_copilot_chunk)(
        each_choice(lambda choice: _copilot_choice(choice, last))(begun)
    )


def _has_calls(delta: Mapping[str, Any]) -> bool:
    """Whether a delta has a part of a call, in today's form or the legacy one."""
    return bool(calls(delta) or delta.get("function_call"))


def _remove_null_refusal(delta: Data) -> Data:
    """A delta without a null refusal, which the proxy does not send."""
    return delta if delta.get("refusal") else omit(delta, ("refusal",))


def _copilot_chunk(data: Data) -> Data:
    account = {"copilot_usage": {"token_details": [], "total_nano_aiu": 0}}
    ended = account if finish_reasons(data) else {}
    fields = {"system_fingerprint": "fp_5b1f6c0a2d", **ended, **data}
    usage = mapping(data.get("usage"))
    return {**fields, "usage": _COPILOT_DETAILS | usage} if usage else fields


def _copilot_choice(choice: Data, last_call: Mapping[str, Any]) -> Data:
    """A choice: with filter results beside a text, with comments beside a call.

    ``last_call`` is the last delta of the answer with a part of a call; empty if there is none.
    """
    changed = {k: v for k, v in choice.items() if not (k in _LEFT_OUT and v is None)}
    if not isinstance(delta := choice.get("delta"), dict):
        return changed
    ends = bool(choice.get("finish_reason"))
    called = delta if _has_calls(delta) else last_call if ends else {}
    if called or ends:
        delta = {"content": None, **delta}
    if called:
        return {**changed, "delta": flag_code(delta) if calls(called) else delta}
    is_text = ends or isinstance(delta.get("content"), str)
    return {**(_FILTERED if is_text else {}), **changed, "delta": delta}


COPILOT = (
    departing(
        "copilot-chunks",
        "choices have filter results beside a text and comments beside the code of a call, null "
        "content beside a call and a finish, and no null finish_reason and logprobs, as GitHub "
        "Copilot's proxy sends them",
        _imitate_copilot,
    ),
)
