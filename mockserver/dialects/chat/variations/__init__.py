"""Variations of chunks: what real servers do differently, all else being equal.

A variation is here only where every good adapter reads the same from it, whether or not it is
within OpenAI's specification; its ``about`` says which. Where good adapters differ (arguments told
cumulatively or as an object, an answer split over two choices, the function call of old) it is a
scenario that lists what is right.
"""

from mockserver.dialects.chat.variations.calls import CALLS
from mockserver.dialects.chat.variations.choices import CHOICES
from mockserver.dialects.chat.variations.deltas import DELTAS
from mockserver.dialects.chat.variations.envelopes import ENVELOPES
from mockserver.dialects.chat.variations.extras import EXTRAS
from mockserver.dialects.chat.variations.usage import USAGE

VARIATIONS = (*CHOICES, *DELTAS, *CALLS, *USAGE, *EXTRAS, *ENVELOPES)

__all__ = ["VARIATIONS"]
