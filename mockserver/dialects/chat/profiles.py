"""The real upstreams of chat completions that the mock can imitate."""

from mockserver.dialects.profile import Profile

# By name: the title, and the variations that it plays.
_PROFILES = {
    "openai": ("as api.openai.com streams", "openai-first-delta openai-fields"),
    "azure": (
        "as Azure OpenAI streams with its default filter",
        "openai-first-delta openai-fields empty-choices azure-chunks",
    ),
    "copilot": (
        "as GitHub Copilot's proxy streams",
        "copilot-reasoning usage-with-finish no-usage-null copilot-chunks empty-choices no-object",
    ),
    "groq": (
        "as api.groq.com streams",
        "reasoning-field arguments-at-once usage-with-finish drifting-created no-usage-null",
    ),
    "mistral": (
        "as api.mistral.ai streams",
        "content-pieces arguments-at-once no-index no-type usage-with-finish no-usage-null",
    ),
    "deepseek": ("as api.deepseek.com streams", "usage-with-finish"),
    "xai": ("as api.x.ai streams", "arguments-at-once drifting-created no-usage-null"),
    "openrouter": (
        "as openrouter.ai streams",
        "reasoning-field role-everywhere no-usage-null usage-beside-choice",
    ),
    "perplexity": (
        "as api.perplexity.ai streams",
        "role-everywhere usage-everywhere usage-with-finish drifting-created no-usage-null",
    ),
    "moonshot": (
        "as api.moonshot.ai streams",
        "finish-with-content usage-with-finish no-usage-null no-object",
    ),
}
# Fields that no other upstream sends.
_MARKS = {
    "copilot": "copilot_annotations copilot_usage content_filter_offsets",
    "groq": "x_groq",
    "deepseek": "prompt_cache_hit_tokens prompt_cache_miss_tokens",
    "xai": "num_sources_used cost_in_usd_ticks",
    "openrouter": "is_byok",
}
# How the names of their own models begin.
_MODELS = {
    "mistral": "mistral magistral ministral codestral devstral pixtral open-mi",
    "deepseek": "deepseek",
    "xai": "grok",
    "moonshot": "kimi moonshot",
    "perplexity": "sonar",
}

PROFILES = tuple(
    Profile(
        name,
        "chat",
        title,
        tuple(plays.split()),
        marks=frozenset(_MARKS.get(name, "").split()),
        models=tuple(_MODELS.get(name, "").split()),
    )
    for name, (title, plays) in _PROFILES.items()
)
