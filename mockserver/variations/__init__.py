"""Named, reversible changes under which an adapter's parts stay the same.

A case asks for one as ``…@dialect+name``. A variation is added by writing it in a file here and
naming it in ``VARIATIONS``.
"""

from mockserver.variations.bundles import BUNDLES
from mockserver.variations.copilot import COPILOT
from mockserver.variations.openresponses import OPENRESPONSES
from mockserver.variations.variation import Variation
from mockserver.variations.vercel import VERCEL
from mockserver.variations.wire import WIRE

VARIATIONS: dict[str, Variation] = {
    v.name: v for v in (*WIRE, *OPENRESPONSES, *COPILOT, *VERCEL, *BUNDLES)
}

__all__ = ["VARIATIONS", "Variation"]
