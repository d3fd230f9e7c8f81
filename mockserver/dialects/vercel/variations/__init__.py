"""Variations of the AI SDK's streams: generations of ``fullStream``, and optional parts."""

from mockserver.dialects.vercel.variations.generations import GENERATIONS
from mockserver.dialects.vercel.variations.optional_parts import OPTIONAL_PARTS

VARIATIONS = (*GENERATIONS, *OPTIONAL_PARTS)

__all__ = ["VARIATIONS"]
