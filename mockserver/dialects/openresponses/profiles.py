"""The real upstreams of OpenResponses events that the mock can imitate."""

from mockserver.dialects.openresponses import openai_types
from mockserver.dialects.profile import Addition, Profile

_DIALECT = "openresponses"

_FIXTURES = "vercel/ai@ed857f5, packages/openai/src/responses/__fixtures__/{}.chunks.txt"
_OPENAPI = "openai/openai-openapi@f85dbe2, openapi.json: {}"
_JULY_2026 = (_FIXTURES.format("programmatic-tool-calling.1"),)
_RESPONSE = (_OPENAPI.format("Response"),)

_OPENAI = (
    Addition(
        "obfuscation",
        "in every delta of a text, a summary, arguments, code or a diff, of varying length",
        ("openai-web-search-tool.1.jsonl:49", "openai-code-interpreter-tool.1.jsonl:7"),
        ("OpenResponses § response.function_call_arguments.delta",),
    ),
    Addition(
        "logprobs",
        "in texts: empty unless they are requested",
        ("openai-web-search-tool.1.jsonl:49",),
        (_OPENAPI.format("ResponseTextDeltaEvent"),),
    ),
    Addition("user", "in the response", ("openai-error.1.jsonl:1",), _RESPONSE),
    Addition(
        "prompt_cache_retention",
        "in the response, since November 2025",
        ("openai-error.1.jsonl:1",),
        _RESPONSE,
    ),
    Addition(
        "verbosity",
        "in the text of the response, also if it was not requested",
        ("openai-error.1.jsonl:1",),
    ),
    Addition(
        "effort",
        "in the reasoning of the response, which is never null",
        ("openai-error.1.jsonl:1",),
    ),
    Addition(
        "store",
        "in the response: true unless the request says false",
        ("openai-error.1.jsonl:1",),
        (_OPENAPI.format("CreateResponse"),),
    ),
    Addition("context", "in the reasoning of the response, since July 2026", _JULY_2026),
    Addition("mode", "in the reasoning of the response, since July 2026", _JULY_2026),
    Addition("moderation", "in the response, since July 2026", _JULY_2026, _RESPONSE),
    Addition("tool_usage", "in the response, since July 2026", _JULY_2026),
    Addition("cache_write_tokens", "in the details of usage, since July 2026", _JULY_2026),
    Addition("content", "empty in items of reasoning, since July 2026", _JULY_2026),
    Addition(
        "encrypted_content",
        "also in the announcement of an item of reasoning, with another value than in the end",
        (*_JULY_2026, _FIXTURES.format("openai-reasoning-encrypted-content.1")),
    ),
)

_ROTATION = (_FIXTURES.format("github-copilot-id-rotation.1"),)
_COPILOT = (
    Addition("phase", "in messages: commentary, or final_answer", _ROTATION),
    Addition("copilot_usage", "in the last event: what the answer costs", _ROTATION),
    Addition(
        "tool_usage", "in the response, as all fields of api.openai.com since July 2026", _ROTATION
    ),
)

# The types of annotations that cite files.
_CITED = ("file_citation", "container_file_citation", "file_path")

PROFILES = (
    Profile(
        "openai",
        _DIALECT,
        "as api.openai.com streams; its error event is nested",
        plays=("reasoning-text", "openai-response", "obfuscation", "no-done"),
        additions=_OPENAI,
        types=frozenset(
            {*openai_types.EVENTS, *openai_types.NAMED_OTHERWISE, *openai_types.ITEMS, *_CITED}
        ),
    ),
    Profile(
        "copilot",
        _DIALECT,
        "as GitHub Copilot's upstream streams",
        plays=("openai-response", "copilot-response", "rotating-ids"),
        additions=_COPILOT,
    ),
    Profile(
        "lmstudio",
        _DIALECT,
        "as LM Studio streams",
        plays=("reasoning-text", "arguments-only-in-done"),
        types=openai_types.NAMED_OTHERWISE,
    ),
    Profile("xai", _DIALECT, "as api.x.ai streams", plays=("sparse-response",)),
)
