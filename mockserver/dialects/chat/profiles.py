"""The real upstreams of chat completions that the mock can imitate."""

from mockserver.dialects.profile import Profile

_DIALECT = "chat"

PROFILES = (
    Profile(
        "openai",
        _DIALECT,
        "as api.openai.com streams",
        plays=("openai-first-delta", "openai-fields"),
    ),
    Profile(
        "azure",
        _DIALECT,
        "as Azure OpenAI streams with its default filter",
        plays=("empty-choices",),
    ),
    Profile(
        "copilot",
        _DIALECT,
        "as GitHub Copilot's proxy streams",
        plays=(
            "copilot-chunks",
            "usage-with-finish",
            "no-usage-null",
            "empty-choices",
            "no-object",
        ),
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
        plays=("arguments-at-once", "no-index", "usage-with-finish", "no-usage-null"),
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
