"""Variations of OpenResponses events: differences between real servers."""

from mockserver.dialects.openresponses.variations.calls import CALLS
from mockserver.dialects.openresponses.variations.fields import FIELDS
from mockserver.dialects.openresponses.variations.unknown import UNKNOWN
from mockserver.dialects.openresponses.variations.vendors import SPARSE, SPELLINGS, VENDORS

VARIATIONS = (*FIELDS, *SPELLINGS, *CALLS, *UNKNOWN, *SPARSE, *VENDORS)

__all__ = ["VARIATIONS"]
