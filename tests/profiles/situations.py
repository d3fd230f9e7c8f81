"""The recordings of the test data, each with a script of the same situation."""

from collections.abc import Set
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recording and the script of the same situation, which is played as a profile.

    ``theirs`` are fields that only the recording has: the upstream has stopped sending them since,
    or the profile does not imitate them. ``ours`` are those that only the profile sends: newer
    recordings have them. A field is in events of any kind, or of the kind before its path.
    """

    dialect: str
    played: tuple[str, ...]
    script: str
    theirs: Set[str] = frozenset()
    ours: Set[str] = frozenset()


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
REASONING = """\
says:
  - reasoning: Hm.
  - text: See it."""
SEALED_ANSWER = """\
says:
  - reasoning: {text: Hm., encrypted: b3BhcXVl}
  - text: See it.
  - call: {id: call_1, name: read, input: {path: a}}
    in: 2"""
REASONED_TEXT = """\
says:
  - reasoning: Hm.
  - text: See it.
    in: 2"""
REASONED_CALL = """\
says:
  - reasoning: Hm.
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
SINCE_2026 = FEBRUARY_2026 | JULY_2026
SINCE_DECEMBER = SINCE_2026 | DECEMBER_2025
SINCE_NOVEMBER = SINCE_DECEMBER | NOVEMBER_2025


def _openai(newer: frozenset[str], script: str = ANSWER) -> Recorded:
    return Recorded("openresponses", ("openai",), script, ours=newer)


# In 2024 filters reported an error, and until September of that year every delta had a role, and
# chunks had no model and no fingerprint (copilot-proxy-L756).
_ERROR = {
    f".{place}[].content_filter_results.error{field}"
    for place in ("choices", "prompt_filter_results")
    for field in ("", ".code", ".message")
}
_JUNE_2024 = Recorded(
    "chat",
    ("copilot",),
    TEXT,
    theirs=_ERROR | {".choices[].delta.role=null"},
    # The recordings have no usage: it was not requested.
    ours={".model", ".system_fingerprint", ".usage", ".copilot_usage"},
)

# The details of usage are shown by CopilotC-Nvim/CopilotChat.nvim#1168 (June 2025). Copilot Chat
# reads copilot_usage; no recording of chunks has it.
_DETAILS = (".usage.prompt_tokens_details", ".usage.completion_tokens_details")
FUNCTION = """\
sends:
  - delta: {role: assistant, content: null, function_call: {name: read, arguments: ""}}
  - delta: {function_call: {arguments: "{}"}}
  - finish: {reason: function_call}"""

RECORDED = {
    "azure-model-router.1.chat.jsonl": Recorded("chat", ("azure",), TEXT),
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
        "chat", ("copilot", "no-role"), CALL, theirs=_ERROR, ours={".copilot_usage", *_DETAILS}
    ),
}

# What the other profiles do not imitate: fields of their own in chunks, usage and responses.
_CONTENT, _NO_CONTENT = ".choices[].delta.content", ".choices[].delta.content=null"
_FINGERPRINT = ".system_fingerprint"
_TIMES = [f".usage.{name}_time" for name in ("completion", "prompt", "queue", "total")]
_NULLS = (".choices[].finish_reason=null", ".choices[].logprobs=null")
_REASONING = _in_response("reasoning.effort", "reasoning.summary")
# What the response object of xAI has in xai-image-generation-tool.1 and had not in 2025.
_XAI_2026 = _in_response(
    *("background", "completed_at", "error", "frequency_penalty", "instructions"),
    *("max_tool_calls", "metadata.system_fingerprint", "presence_penalty", "prompt_cache_key"),
    *("safety_identifier", "service_tier", "top_logprobs", "truncation"),
    *("usage.context_details", "usage.cost_in_usd_ticks", "usage.server_side_tool_usage_details"),
) | {"response.created .response.usage", "response.in_progress .response.usage"}
RECORDED |= {
    "deepseek-tool-call.chat.jsonl": Recorded(
        "chat",
        ("deepseek",),
        REASONED_CALL,
        theirs={
            _FINGERPRINT,
            _NO_CONTENT,
            f"finish {_CONTENT}",
            "first .choices[].delta.reasoning_content",
            "finish .choices[].delta.reasoning_content=null",
            *_DETAILS,
            ".usage.prompt_cache_hit_tokens",
            ".usage.prompt_cache_miss_tokens",
        },
        ours={f"first {_CONTENT}"},
    ),
    "groq-tool-call.chat.jsonl": Recorded(
        "chat",
        ("groq",),
        CALL,
        theirs={_FINGERPRINT, _NO_CONTENT, ".x_groq", *_TIMES},
        ours={f"first {_CONTENT}"},
    ),
    # The whole call is in the chunk of the finish.
    "mistral-tool-call.chat.jsonl": Recorded(
        "chat", ("mistral", "finish-with-content"), CALL, theirs={_NO_CONTENT}
    ),
    # The role is in the delta with the first reasoning.
    "xai-tool-call.chat.jsonl": Recorded(
        "chat",
        ("xai",),
        REASONED_CALL,
        theirs={
            _FINGERPRINT,
            "first .choices[].delta.reasoning_content",
            *_DETAILS,
            ".usage.cost_in_usd_ticks",
            ".usage.num_sources_used",
        },
        ours={f"first {_CONTENT}", *_NULLS},
    ),
    "lmstudio-basic.1.jsonl": Recorded("openresponses", ("lmstudio",), ANSWER, theirs=_REASONING),
    "xai-reasoning.1.jsonl": Recorded(
        "openresponses",
        ("xai",),
        REASONING,
        ours=_XAI_2026 | {"response.output_text.done .logprobs"},
    ),
}
# Of the recording's four responses one has a text, and the others a call each.
_LOGPROBS = ".choices[].logprobs=null"
RECORDED |= {
    "azure-reasoning-encrypted-content.1.jsonl": Recorded(
        "openresponses",
        ("azure",),
        SEALED_ANSWER,
        # packages/azure/src/__fixtures__/azure-text.1.chunks.txt has these, and results of filters.
        ours=DECEMBER_2025 | FEBRUARY_2026 | _in_response("content_filters[]"),
    ),
    "github-copilot-id-rotation.1.jsonl": Recorded("openresponses", ("copilot",), REASONING),
    "groq-text.chat.jsonl": Recorded(
        "chat", ("groq",), TEXT, theirs={_FINGERPRINT, ".x_groq", *_TIMES}
    ),
    "mistral-reasoning.chat.jsonl": Recorded(
        "chat",
        ("mistral",),
        REASONING,
        theirs={f"finish {_CONTENT}", "first .choices[].delta.content[thinking]"},
        ours={_LOGPROBS},
    ),
    # The role is in the delta with the first reasoning.
    "moonshot.chat.jsonl": Recorded(
        "chat",
        ("moonshot",),
        REASONED_TEXT,
        theirs={"first .choices[].delta.reasoning_content", _DETAILS[1]},
        ours={f"first {_CONTENT}", _LOGPROBS},
    ),
    "xai-image-generation-tool.1.jsonl": Recorded("openresponses", ("xai",), TEXT),
}
