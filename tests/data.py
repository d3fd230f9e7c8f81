"""The location of published documents and recorded streams, which are not part of the project."""

import os
from pathlib import Path

import pytest

_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"

DATA = Path(os.environ.get("STREAMPROOF_TEST_DATA", _BESIDE))

needs_data = pytest.mark.skipif(
    not DATA.is_dir(), reason=f"no test data in {DATA} (set STREAMPROOF_TEST_DATA)"
)
