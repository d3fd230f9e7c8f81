"""The kit's part of each dialect, by name: its ledger, legality rules and reference adapters.

To add a dialect, add a folder that defines a ``KitDialect`` and list that in ``KIT``.
"""

from conformance.dialects.chat import CHAT
from conformance.dialects.dialect import Client, KitDialect
from conformance.dialects.openresponses import OPENRESPONSES
from conformance.dialects.vercel import VERCEL

KIT: dict[str, KitDialect] = {dialect.name: dialect for dialect in (OPENRESPONSES, CHAT, *VERCEL)}

CLIENTS: dict[str, Client] = {name: each.client for name, each in KIT.items() if each.client}
"""Clients for adapters that are servers, by the dialect that they serve; the usual one first."""

__all__ = ["CLIENTS", "KIT", "Client", "KitDialect"]
