"""Variations of the AI SDK's streams: its generations, and what may be there or not."""

from mockserver.variations.vercel.generations import GENERATIONS
from mockserver.variations.vercel.woven import WOVEN

VERCEL = (*GENERATIONS, *WOVEN)

__all__ = ["VERCEL"]
