"""The real upstreams of OpenResponses events that the mock can imitate."""

from mockserver.dialects.profile import Profile

_DIALECT = "openresponses"

PROFILES = (
    Profile(
        "openai",
        _DIALECT,
        "as api.openai.com streams; its error event is nested",
        plays=("reasoning-text", "openai-response", "obfuscation", "no-done"),
    ),
    Profile(
        "copilot",
        _DIALECT,
        "as GitHub Copilot's upstream streams",
        plays=("openai-response", "copilot-response", "rotating-ids"),
    ),
    Profile(
        "lmstudio",
        _DIALECT,
        "as LM Studio streams",
        plays=("reasoning-text", "arguments-only-in-done"),
    ),
    Profile(
        "xai",
        _DIALECT,
        "as api.x.ai streams",
        plays=("sparse-response",),
    ),
)
