"""The exceptions of the upstreams that stream chat completions, by profile."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.dialects.chat.undo import (
    drop_annotations,
    fill_envelope,
    fill_index,
    fill_model,
    fill_object,
    fill_type,
    filter_packets,
    fix_created,
    in_choices,
    in_chunks,
    rename_reasons,
    split_usage,
)
from conformance.dialects.profile_exception import ProfileException


def _usage_exception(*source: str, shown_by: str) -> ProfileException:
    return ProfileException(
        "usage-with-finish",
        "The last chunk has both the finish reason and the usage; OpenAI sends the usage in a "
        "chunk of its own.",
        rules=("usage-once",),
        undo=split_usage,
        source=source,
        shown_by=(shown_by,),
    )


def _prompt_exception(*source: str, shown_by: tuple[str, ...]) -> ProfileException:
    return ProfileException(
        "prompt-filters",
        "The first chunk has no choices and reports the filters of the prompt; its id is empty "
        "and its time is 0.",
        rules=("chunk-types", "chunk-stable"),
        undo=fill_envelope,
        source=source,
        shown_by=shown_by,
    )


_AZURE = (
    _prompt_exception(
        "Azure/azure-sdk-for-go#21086",
        "microsoft/autogen#6465",
        shown_by=("azure-model-router.1.chat.jsonl:1",),
    ),
    ProfileException(
        "filter-packets",
        "With the asynchronous filter, chunks without an envelope report filter results: their "
        "choices have no delta and may follow the finish.",
        rules=("chunk-types", "chunk-stable", "finish-once"),
        undo=filter_packets,
        source=(
            "langchain-ai/langchain#18977",
            "microsoft/autogen#6465",
        ),
    ),
)

_PROXY = tuple(f"copilot-proxy-L{line}.chat.sse:1" for line in (667, 694, 715, 756))

_COPILOT = (
    _prompt_exception("ericc-ch/copilot-api#133", shown_by=_PROXY),
    ProfileException(
        "no-object",
        "Chunks have no object field.",
        rules=("chunk-types",),
        undo=in_chunks(fill_object),
        source=("caozhiyuan/copilot-api#247",),
        shown_by=_PROXY,
    ),
    ProfileException(
        "no-model",
        "The chunk with the filters of the prompt has no model; in recordings of June 2024, no "
        "chunk has one.",
        rules=("chunk-types",),
        undo=fill_model,
        source=("ericc-ch/copilot-api#133",),
        shown_by=_PROXY,
    ),
    ProfileException(
        "annotations-object",
        "delta.annotations is an object with a list for each kind, equal to copilot_annotations.",
        rules=("chunk-types",),
        undo=in_choices(drop_annotations),
        shown_by=("copilot-proxy-L756.chat.sse:3",),
    ),
    _usage_exception(shown_by="copilot-proxy-L756.chat.sse:99"),
)

_GROQ = (
    _usage_exception(
        "groq/groq-python, types/chat/chat_completion_chunk.py: x_groq.usage, final chunk",
        shown_by="groq-tool-call.chat.jsonl:3",
    ),
)

_MISTRAL = (
    ProfileException(
        "no-index",
        "A call that is sent in one fragment has no index.",
        rules=("chunk-types",),
        undo=fill_index,
        source=("mistralai/client-python, docs/models/toolcall.md", "comet-ml/opik#8363"),
        shown_by=("mistral-tool-call.chat.jsonl:2",),
    ),
    ProfileException(
        "no-type",
        "A call that is sent in one fragment has no type.",
        rules=("call-fragments",),
        undo=in_choices(fill_type),
        source=("mistralai/client-python, docs/models/toolcall.md",),
        shown_by=("mistral-tool-call.chat.jsonl:2",),
    ),
    _usage_exception(shown_by="mistral-tool-call.chat.jsonl:2"),
    ProfileException(
        "error-reason",
        "An answer that broke off has the finish reason error.",
        rules=("chunk-types",),
        undo=rename_reasons({"error": "stop"}),
        source=(
            "mistralai/client-python, docs/models/completionresponsestreamchoicefinishreason.md",
        ),
    ),
)

_DEEPSEEK = (
    _usage_exception(
        "DeepSeek API reference, include_usage, as moona3k/macparakeet#1087 quotes it",
        shown_by="deepseek-tool-call.chat.jsonl:52",
    ),
    ProfileException(
        "resource-reason",
        "An answer that was interrupted for lack of resources has the finish reason "
        "insufficient_system_resource.",
        rules=("chunk-types",),
        undo=rename_reasons({"insufficient_system_resource": "stop"}),
        source=("ds-api 0.10.7 (crates.io), a client of DeepSeek: FinishReason",),
    ),
)

_XAI = (
    ProfileException(
        "drifting-created",
        "created is the time of each chunk and never decreases; OpenAI sends the same time in all "
        "chunks.",
        rules=("chunk-stable",),
        undo=fix_created,
        shown_by=("xai-tool-call.chat.jsonl:6",),
    ),
)

EXCEPTIONS: Mapping[str, tuple[ProfileException, ...]] = {
    "azure": _AZURE,
    "copilot": _COPILOT,
    "groq": _GROQ,
    "mistral": _MISTRAL,
    "deepseek": _DEEPSEEK,
    "xai": _XAI,
}
