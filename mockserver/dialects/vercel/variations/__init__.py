"""Variations of the AI SDK's streams: its generations, and what may be there or not."""

from mockserver.dialects.vercel.variations.generations import GENERATIONS
from mockserver.dialects.vercel.variations.woven import WOVEN

VARIATIONS = (*GENERATIONS, *WOVEN)

__all__ = ["VARIATIONS"]
