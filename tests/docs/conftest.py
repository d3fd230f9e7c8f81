from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.docs.project_copy import Stage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """A new copy of the project for each page, in which its commands are run."""
    built = Stage.built(tmp_path)
    yield built
    built.end()
