"""The real upstreams of OpenResponses events that the mock can imitate."""

from mockserver.dialects.openresponses import openai_types
from mockserver.dialects.profile import Profile

_DIALECT = "openresponses"

# The types of annotations that cite files.
_CITED = ("file_citation", "container_file_citation", "file_path")

_OPENAI = Profile(
    "openai",
    _DIALECT,
    "as api.openai.com streams; its error event is nested",
    plays=("reasoning-text", "openai-response", "obfuscation", "no-done"),
    types=frozenset(
        {*openai_types.EVENTS, *openai_types.NAMED_OTHERWISE, *openai_types.ITEMS, *_CITED}
    ),
)

PROFILES = (
    _OPENAI,
    Profile(
        "azure",
        _DIALECT,
        "as Azure OpenAI streams",
        plays=("reasoning-text", "azure-response", "obfuscation", "no-done"),
        types=_OPENAI.types,
        inherits="openai",
        marks=frozenset({"content_filters"}),
    ),
    # Its models of OpenAI "are hosted by OpenAI and GitHub's Azure infrastructure" (github/docs at
    # 2372f8e, content/copilot/reference/ai-models/model-hosting.md).
    Profile(
        "copilot",
        _DIALECT,
        "as GitHub Copilot's upstream streams",
        plays=("openai-response", "copilot-response", "rotating-ids"),
        inherits="openai",
        marks=frozenset({"copilot_usage"}),
    ),
    Profile(
        "lmstudio",
        _DIALECT,
        "as LM Studio streams",
        plays=("reasoning-text", "arguments-only-in-done"),
        types=openai_types.NAMED_OTHERWISE,
    ),
    Profile(
        "xai",
        _DIALECT,
        "as api.x.ai streams",
        plays=("xai-response",),
        types=_OPENAI.types,
        inherits="openai",
        marks=frozenset({"num_sources_used", "num_server_side_tools_used", "cost_in_usd_ticks"}),
        models=("grok",),
    ),
)
