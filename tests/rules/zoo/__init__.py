"""Broken adapters, each of which breaks one rule and is otherwise the reference adapter.

The bugs are real ones, made small: what published adapters did or do.
"""

from __future__ import annotations

from tests.rules.zoo import (
    calls,
    cancelled,
    chat,
    cited,
    edges,
    endings,
    historical,
    texts,
    vercel,
    vercel_calls,
    vercel_content,
    vercel_steps,
)

ZOO = [
    *edges.ANIMALS,
    *endings.ANIMALS,
    *texts.ANIMALS,
    *cited.ANIMALS,
    *calls.ANIMALS,
    *cancelled.ANIMALS,
    *historical.ANIMALS,
    *chat.ANIMALS,
    *vercel.ANIMALS,
    *vercel_calls.ANIMALS,
    *vercel_content.ANIMALS,
    *vercel_steps.ANIMALS,
]
