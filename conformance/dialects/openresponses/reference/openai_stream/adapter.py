"""The reference adapter from OpenAI's Responses to stream parts: its endpoint and its factory."""

from __future__ import annotations

from functools import partial

from conformance.dialects.client import transport
from conformance.dialects.client.transport import Traits, Upstream
from conformance.dialects.openresponses.reference.openai_stream.block import Tables
from conformance.dialects.openresponses.reference.openai_stream.kinds import TABLES
from conformance.dialects.openresponses.reference.openai_stream.machine import ResponsesToStream
from conformance.dialects.openresponses.reference.openai_stream.request import request

UPSTREAM = Upstream("reference-responses-stream", "openresponses", "/responses", request)


def adapter(traits: Traits | None = None, tables: Tables = TABLES) -> transport.Adapter:
    """Create the adapter; an `adapter.yaml` may name this function."""
    return transport.Adapter(UPSTREAM, partial(ResponsesToStream, tables=tables), traits)
