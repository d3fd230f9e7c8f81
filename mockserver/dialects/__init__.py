"""The wire vocabularies that an upstream speaks, by name.

A dialect is added by writing a module beside these and naming it in ``DIALECTS``.
"""

from mockserver.dialects.chat import CHAT
from mockserver.dialects.dialect import Dialect, Event, Inbound, Step, Whole
from mockserver.dialects.openresponses import OPENRESPONSES
from mockserver.dialects.vercel import VERCEL

DIALECTS: dict[str, Dialect] = {dialect.name: dialect for dialect in (OPENRESPONSES, CHAT, *VERCEL)}

__all__ = ["DIALECTS", "Dialect", "Event", "Inbound", "Step", "Whole"]
