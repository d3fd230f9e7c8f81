"""Adapters that each break one rule and otherwise behave as the reference adapter.

Each bug is the smallest form of one that a published adapter has or had.
"""

from tests.rules.broken import (
    calls,
    cancellation,
    chat,
    chat_situations,
    endings,
    framing,
    hosted,
    own_ids,
    protocol,
    published_bugs,
    responses_situations,
    text,
    vercel,
    vercel_calls,
    vercel_content,
    vercel_steps,
)

BROKEN_ADAPTERS = [
    *protocol.BROKEN, *endings.BROKEN, *text.BROKEN, *calls.BROKEN, *own_ids.BROKEN,
    *cancellation.BROKEN, *published_bugs.BROKEN, *responses_situations.BROKEN, *chat.BROKEN,
    *chat_situations.BROKEN, *vercel.BROKEN, *vercel_calls.BROKEN, *vercel_content.BROKEN,
    *vercel_steps.BROKEN, *framing.BROKEN, *hosted.BROKEN,
]  # fmt: skip
