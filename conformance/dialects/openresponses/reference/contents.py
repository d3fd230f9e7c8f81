"""The kinds of text in a Responses stream, and the events and parts that carry them."""

from __future__ import annotations

from typing import NamedTuple

TEXT, REFUSAL, REASONING, SUMMARY = "text", "refusal", "reasoning", "summary"
REASONING_CHANNELS = frozenset({REASONING, SUMMARY})


class Content(NamedTuple):
    """The events of one kind of text.

    `stem` is their type without `.delta` or `.done`, `channel` the kind of text, `position` the
    field with the index of the part, and `full` the field with the full text.
    """

    stem: str
    channel: str
    position: str = "content_index"
    full: str = "text"


CONTENTS = (
    Content("response.output_text", TEXT),
    Content("response.refusal", REFUSAL, full="refusal"),
    Content("response.reasoning", REASONING),  # openresponses
    Content("response.reasoning_text", REASONING),  # openai
    Content("response.reasoning_summary_text", SUMMARY, "summary_index"),  # both
    Content("response.reasoning_summary", SUMMARY, "summary_index"),  # rfc-00022
)

PARTS = {  # the content parts of a message or a reasoning item: channel, field of the text
    "output_text": (TEXT, "text"),
    "text": (TEXT, "text"),
    "refusal": (REFUSAL, "refusal"),
    "reasoning_text": (REASONING, "text"),
}
