"""The types of the package ``openai`` as a strict judge of chunks, independent of the kit.

Those types accept any further field. A default chunk has no further field except those of
reasoning, which is not part of OpenAI's chat completions.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from mockserver.dialects.chat.chunks import ENCRYPTED_FIELDS, REASONING_FIELDS

REASONING = frozenset({*REASONING_FIELDS, *ENCRYPTED_FIELDS})


def is_invalid(document: Any) -> bool:
    """Whether the published types refuse a chunk."""
    pydantic = pytest.importorskip("pydantic")
    chat = pytest.importorskip("openai.types.chat")
    try:
        chat.ChatCompletionChunk.model_validate_json(json.dumps(document), strict=True)
    except pydantic.ValidationError:
        return True
    return False


def unpublished_fields(document: Any) -> set[str]:
    """The fields of a chunk that the published types do not have, as ``Type.field``."""
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
