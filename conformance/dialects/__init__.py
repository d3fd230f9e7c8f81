"""The kit's part of each dialect, by name: its ledger, legality rules and reference adapters.

To add a dialect, add a folder that defines a ``KitDialect`` and list that in ``KIT``.
"""

from conformance.dialects.chat import CHAT
from conformance.dialects.dialect import KitDialect
from conformance.dialects.openresponses import OPENRESPONSES
from conformance.dialects.vercel import VERCEL

KIT: dict[str, KitDialect] = {dialect.name: dialect for dialect in (OPENRESPONSES, CHAT, *VERCEL)}

__all__ = ["KIT", "KitDialect"]
