"""Where data from elsewhere stands: published documents and recorded streams, none of it ours."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"

DATA = Path(os.environ.get("STREAMPROOF_TEST_DATA", _BESIDE))

needs_data = pytest.mark.skipif(
    not DATA.is_dir(), reason=f"no test data in {DATA} (set STREAMPROOF_TEST_DATA)"
)
