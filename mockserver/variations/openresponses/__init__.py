"""Variations of OpenResponses events: what real servers do differently, all else being equal."""

from mockserver.variations.openresponses.calls import CALLS
from mockserver.variations.openresponses.fields import FIELDS
from mockserver.variations.openresponses.sparse import SPARSE
from mockserver.variations.openresponses.spellings import SPELLINGS
from mockserver.variations.openresponses.unknown import UNKNOWN

OPENRESPONSES = (*FIELDS, *SPELLINGS, *CALLS, *UNKNOWN, *SPARSE)

__all__ = ["OPENRESPONSES"]
