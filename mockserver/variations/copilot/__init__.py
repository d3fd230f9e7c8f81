"""Variations of chunks: what real servers do differently, all else being equal.

A variation is here only where every good adapter reads the same from it, whether or not it is
within OpenAI's specification; its ``about`` says which. Where good adapters differ (arguments told
cumulatively or as an object, an answer split over two choices, the function call of old) it is a
scenario that lists what is right.
"""

from mockserver.variations.copilot.calls import CALLS
from mockserver.variations.copilot.choices import CHOICES
from mockserver.variations.copilot.deltas import DELTAS
from mockserver.variations.copilot.envelopes import ENVELOPES
from mockserver.variations.copilot.extras import EXTRAS
from mockserver.variations.copilot.usage import USAGE

COPILOT = (*CHOICES, *DELTAS, *CALLS, *USAGE, *EXTRAS, *ENVELOPES)

__all__ = ["COPILOT"]
