from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.docs.stage import Stage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """A stage of its own for each page."""
    built = Stage.built(tmp_path)
    yield built
    built.close()
