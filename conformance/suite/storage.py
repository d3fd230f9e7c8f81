"""The storage folder of an adapter that counts tokens; it outlives the adapter's process.

Each case has its own folder, so that no case sees what an adapter has learnt in another.
"""

from __future__ import annotations

from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.contract.adapter import Description


@contextmanager
def storage_for(adapter: Description) -> Iterator[str]:
    """The path of an empty folder, removed after the block; "" without the claim ``count``."""
    if not adapter.claims.count:
        yield ""
        return
    # The adapter may still write to the folder while it is removed.
    with TemporaryDirectory(prefix="streamproof-", ignore_cleanup_errors=True) as folder:
        yield folder
