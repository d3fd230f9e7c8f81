"""Runs a command of streamproof with the made-up dialect in both registries."""

from conformance.dialects import KIT
from mockserver.dialects import DIALECTS
from tests.dialects.made_up import kit, mock

DIALECTS["plain"] = mock.PLAIN
KIT["plain"] = kit.PLAIN

if __name__ == "__main__":
    # What the commands import reads the registries.
    from streamproof.__main__ import main

    main()
