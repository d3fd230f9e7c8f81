"""The real upstreams of chat completions that the mock can imitate."""

from mockserver.dialects.profile import Addition, Profile

_DIALECT = "chat"

_OPENAPI = ("openai/openai-openapi@f85dbe2, openapi.json: CreateChatCompletionStreamResponse",)
_OPENAI_TEXT = ("vercel/ai@ed857f5, packages/openai/src/chat/__fixtures__/openai-text.chunks.txt",)
_SDK_TESTS = "openai/openai-python@e43b4224, .inline-snapshot/external/{}.bin"
_REFUSAL = "173417d553406f034f643e5db3f8d591fb691ebac56f5ae39a22cc7d455c5353"
_ONE_CALL = "2018feb66ae13fcf5333d61b95849decc68d3f63bd38172889367e1afb1e04f7"
_CALLS = "f82268f2fefd5cfbc7eeb59c297688be2f6ca0849a6e4f17851b517310841d9b"

_OPENAI = (
    Addition(
        "usage",
        "null in every chunk but the report, if usage was requested; recordings of 2024 lack it",
        _OPENAI_TEXT,
        ("OpenAI § stream_options.include_usage",),
    ),
    Addition(
        "prompt_tokens_details",
        "in the report, with cached and audio tokens",
        _OPENAI_TEXT,
        ("openai/openai-openapi@f85dbe2, openapi.json: CompletionUsage",),
    ),
    Addition(
        "completion_tokens_details",
        "in the report, with reasoning, audio and predicted tokens",
        _OPENAI_TEXT,
        ("openai/openai-openapi@f85dbe2, openapi.json: CompletionUsage",),
    ),
    Addition("service_tier", "in every chunk: the tier that answers", _OPENAI_TEXT, _OPENAPI),
    Addition("system_fingerprint", "in every chunk", _OPENAI_TEXT, _OPENAPI),
    Addition("obfuscation", "in every chunk, of varying length", _OPENAI_TEXT, _OPENAPI),
    Addition(
        "refusal",
        "in the first delta: null beside a text or the only call, empty before a refusal",
        (*_OPENAI_TEXT, _SDK_TESTS.format(_ONE_CALL), _SDK_TESTS.format(_REFUSAL)),
    ),
    Addition(
        "content",
        "in the first delta: null before a refusal or calls; the only call begins in that delta",
        tuple(map(_SDK_TESTS.format, (_ONE_CALL, _CALLS, _REFUSAL))),
    ),
)

_AZURE_MODEL_ROUTER = "azure-model-router.1.chat.jsonl:{}"
_AZURE = (
    Addition(
        "content_filter_results",
        "in every choice: empty beside no text",
        (_AZURE_MODEL_ROUTER.format(3),),
    ),
    Addition("jailbreak", "in the filters of the prompt", (_AZURE_MODEL_ROUTER.format(1),)),
    Addition("system_fingerprint", "in every chunk: null", (_AZURE_MODEL_ROUTER.format(2),)),
    Addition("obfuscation", "in every chunk, of varying length", (_AZURE_MODEL_ROUTER.format(2),)),
    Addition("refusal", "null in the first delta", (_AZURE_MODEL_ROUTER.format(2),)),
    Addition(
        "completion_tokens_details",
        "in the report, as by api.openai.com",
        (_AZURE_MODEL_ROUTER.format(8),),
    ),
)

_PROXY_TESTS = (
    "microsoft/vscode-copilot-chat@31acd00, "
    "src/platform/endpoint/test/node/stream.sseProcessor.spec.ts"
)
_COPILOT = (
    Addition("system_fingerprint", "in every chunk", ("copilot-proxy-L756.chat.sse:3",)),
    Addition(
        "content_filter_results",
        "in a choice with text or its finish; not beside calls",
        ("copilot-proxy-L667.chat.sse:3", "copilot-proxy-L694.chat.sse:3"),
    ),
    Addition(
        "content_filter_offsets",
        "in a choice with text or its finish; not beside calls",
        ("copilot-proxy-L667.chat.sse:3", "CopilotC-Nvim/CopilotChat.nvim#1168"),
    ),
    Addition(
        "content",
        "null beside calls and in the finish; the first call begins in the first delta",
        ("copilot-proxy-L756.chat.sse:3", _PROXY_TESTS),
    ),
    Addition(
        "copilot_annotations",
        "in deltas with code that the proxy comments on; annotations repeats it",
        ("copilot-proxy-L756.chat.sse:3",),
    ),
    Addition(
        "prompt_tokens_details",
        "in the usage: cached tokens",
        ("CopilotC-Nvim/CopilotChat.nvim#1168",),
    ),
    Addition(
        "completion_tokens_details",
        "in the usage: predicted tokens",
        ("CopilotC-Nvim/CopilotChat.nvim#1168",),
    ),
    Addition(
        "copilot_usage",
        "in the chunk with the finish: what the answer costs; no recording of chunks has it",
        documents=("microsoft/vscode, extensions/copilot/src/platform/networking/node/stream.ts",),
    ),
)

PROFILES = (
    Profile(
        "openai",
        _DIALECT,
        "as api.openai.com streams",
        plays=("openai-first-delta", "openai-fields"),
        additions=_OPENAI,
    ),
    Profile(
        "azure",
        _DIALECT,
        "as Azure OpenAI streams with its default filter",
        plays=("openai-first-delta", "openai-fields", "empty-choices", "azure-chunks"),
        additions=_AZURE,
    ),
    Profile(
        "copilot",
        _DIALECT,
        "as GitHub Copilot's proxy streams",
        plays=(
            "usage-with-finish",
            "no-usage-null",
            "copilot-chunks",
            "empty-choices",
            "no-object",
        ),
        additions=_COPILOT,
    ),
    Profile(
        "groq",
        _DIALECT,
        "as api.groq.com streams",
        plays=("reasoning-field", "arguments-at-once", "usage-with-finish", "no-usage-null"),
    ),
    Profile(
        "mistral",
        _DIALECT,
        "as api.mistral.ai streams",
        plays=("arguments-at-once", "no-index", "no-type", "usage-with-finish", "no-usage-null"),
    ),
    Profile(
        "deepseek",
        _DIALECT,
        "as api.deepseek.com streams",
        plays=("reasoning-content", "usage-with-finish"),
    ),
    Profile(
        "xai",
        _DIALECT,
        "as api.x.ai streams",
        plays=("reasoning-content", "arguments-at-once", "drifting-created", "no-usage-null"),
    ),
)
