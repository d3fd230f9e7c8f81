"""Makes a value that satisfies a JSON Schema, as an improvised answer or arguments of a call.

The schema comes from an untrusted client: nothing is fetched for it, and all work is bounded. The
same schema always gives the same value.
"""

from mockserver.server.example.limits import NoExample
from mockserver.server.example.make import example

__all__ = ["NoExample", "example"]
