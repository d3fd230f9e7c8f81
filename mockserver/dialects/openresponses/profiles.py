"""Variations that belong together, by the upstream that has them all."""

from mockserver.dialects.openresponses.variations import OPENRESPONSES
from mockserver.wire.variation import Variation, bundle
from mockserver.wire.variations import WIRE

_BY_NAME: dict[str, Variation] = {v.name: v for v in (*WIRE, *OPENRESPONSES)}


def _bundle(name: str, about: str, *members: str) -> Variation:
    return bundle(name, about, *(_BY_NAME[member] for member in members))


BUNDLES = (
    _bundle(
        "openai",
        "as api.openai.com streams; its error event is nested",
        "reasoning-text",
        "logprobs",
        "obfuscation",
        "no-done",
    ),
    _bundle("copilot", "as GitHub Copilot's upstream streams", "rotating-ids"),
    _bundle("lmstudio", "as LM Studio streams", "reasoning-text", "arguments-only-in-done"),
)
