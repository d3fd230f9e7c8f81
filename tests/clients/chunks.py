"""A judge of chunks that is not ours: the types of the package ``openai``, taken strictly.

Those types take any further field. A default chunk has none but the fields of reasoning, which is
no part of OpenAI's chat completions.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from mockserver.dialects.chat.chunks import ENCRYPTED_FIELDS, REASONING_FIELDS

REASONING = frozenset({*REASONING_FIELDS, *ENCRYPTED_FIELDS})


def refused(document: Any) -> bool:
    """Is this no chunk, by the published types?"""
    pydantic = pytest.importorskip("pydantic")
    chat = pytest.importorskip("openai.types.chat")
    try:
        chat.ChatCompletionChunk.model_validate_json(json.dumps(document), strict=True)
    except pydantic.ValidationError:
        return True
    return False


def foreign(document: Any) -> set[str]:
    """The fields of a chunk that the published types do not have, with what holds them."""
    chat = pytest.importorskip("openai.types.chat")
    return set(_extra(chat.ChatCompletionChunk.model_validate_json(json.dumps(document))))


def _extra(model: Any) -> Iterator[str]:
    if isinstance(model, list):
        for one in model:
            yield from _extra(one)
    elif hasattr(model, "model_extra"):
        yield from (f"{type(model).__name__}.{name}" for name in model.model_extra or {})
        for name in type(model).model_fields:
            yield from _extra(getattr(model, name, None))
