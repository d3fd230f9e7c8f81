"""Named, reversible changes under which an adapter's parts stay the same.

A case asks for one as ``…@dialect+name``. A variation is added by writing it in a file here and
naming it in ``VARIATIONS``.
"""

from mockserver.dialects.chat.variations import COPILOT
from mockserver.dialects.openresponses.profiles import BUNDLES
from mockserver.dialects.openresponses.variations import OPENRESPONSES
from mockserver.dialects.vercel.variations import VERCEL
from mockserver.wire.variation import Variation
from mockserver.wire.variations import WIRE

VARIATIONS: dict[str, Variation] = {
    v.name: v for v in (*WIRE, *OPENRESPONSES, *COPILOT, *VERCEL, *BUNDLES)
}

__all__ = ["VARIATIONS", "Variation"]
