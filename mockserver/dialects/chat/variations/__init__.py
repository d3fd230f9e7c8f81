"""Variations of chunks: differences between real servers that must not affect an adapter.

They need not comply with OpenAI's specification; the ``about`` of each says whether it does. If
correct adapters handle a difference differently (cumulative arguments, arguments as an object, an
answer split over two choices, the legacy function call), it is a scenario, not a variation.
"""

from mockserver.dialects.chat.variations.calls import CALLS
from mockserver.dialects.chat.variations.choices import CHOICES, DELTAS
from mockserver.dialects.chat.variations.envelopes import ENVELOPES, EXTRAS, USAGE
from mockserver.dialects.chat.variations.vendors import AZURE, COPILOT, MISTRAL, OPENAI

VARIATIONS = (
    *CHOICES,
    *DELTAS,
    *CALLS,
    *USAGE,
    *EXTRAS,
    *ENVELOPES,
    *OPENAI,
    *COPILOT,
    *AZURE,
    *MISTRAL,
)

__all__ = ["VARIATIONS"]
