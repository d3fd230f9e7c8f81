"""The wire vocabularies that an upstream speaks, by name.

A dialect is added by a folder here that does what ``mockserver.dialects.dialect`` asks, and by
naming it in ``DIALECTS``.
"""

from mockserver.dialects.chat import CHAT
from mockserver.dialects.dialect import Dialect, Inbound, Whole
from mockserver.dialects.openresponses import OPENRESPONSES
from mockserver.dialects.vercel import VERCEL

DIALECTS: dict[str, Dialect] = {dialect.name: dialect for dialect in (OPENRESPONSES, CHAT, *VERCEL)}

__all__ = ["DIALECTS", "Dialect", "Inbound", "Whole"]
