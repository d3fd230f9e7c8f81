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
        "usage-with-finish no-usage-null copilot-chunks empty-choices no-object",
    ),
    "groq": (
        "as api.groq.com streams",
        "reasoning-field arguments-at-once usage-with-finish no-usage-null",
    ),
    "mistral": (
        "as api.mistral.ai streams",
        "arguments-at-once no-index no-type usage-with-finish no-usage-null",
    ),
    "deepseek": ("as api.deepseek.com streams", "reasoning-content usage-with-finish"),
    "xai": (
        "as api.x.ai streams",
        "reasoning-content arguments-at-once drifting-created no-usage-null",
    ),
}

PROFILES = tuple(
    Profile(name, "chat", title, tuple(plays.split())) for name, (title, plays) in _PROFILES.items()
)
