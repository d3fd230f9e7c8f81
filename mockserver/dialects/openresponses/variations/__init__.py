"""Variations of OpenResponses events: what real servers do differently, all else being equal."""

from mockserver.dialects.openresponses.variations.calls import CALLS
from mockserver.dialects.openresponses.variations.fields import FIELDS
from mockserver.dialects.openresponses.variations.spellings import SPELLINGS
from mockserver.dialects.openresponses.variations.unknown import UNKNOWN

OPENRESPONSES = (*FIELDS, *SPELLINGS, *CALLS, *UNKNOWN)

__all__ = ["OPENRESPONSES"]
