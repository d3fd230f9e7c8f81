"""Variations of OpenResponses events: differences between real servers."""

from mockserver.dialects.openresponses.variations.calls import CALLS
from mockserver.dialects.openresponses.variations.fields import FIELDS
from mockserver.dialects.openresponses.variations.sparse import SPARSE
from mockserver.dialects.openresponses.variations.spellings import SPELLINGS
from mockserver.dialects.openresponses.variations.unknown import UNKNOWN
from mockserver.dialects.openresponses.variations.vendors import VENDORS

VARIATIONS = (*FIELDS, *SPELLINGS, *CALLS, *UNKNOWN, *SPARSE, *VENDORS)

__all__ = ["VARIATIONS"]
