"""Variations of OpenResponses events: differences between real servers."""

from mockserver.dialects.openresponses.variations.calls import CALLS
from mockserver.dialects.openresponses.variations.fields import FIELDS
from mockserver.dialects.openresponses.variations.sparse import SPARSE
from mockserver.dialects.openresponses.variations.spellings import SPELLINGS
from mockserver.dialects.openresponses.variations.unknown import UNKNOWN

VARIATIONS = (*FIELDS, *SPELLINGS, *CALLS, *UNKNOWN, *SPARSE)

__all__ = ["VARIATIONS"]
