"""A plugin of pytest: on a busy machine a large library takes longer to load than the kit waits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conformance.drivers.kinds import DRIVERS
from conformance.drivers.stdio import StdioDriver

if TYPE_CHECKING:
    from pathlib import Path

HELLO_SECONDS = 60.0


def pytest_configure() -> None:
    """Have every program be waited for; the process of this run ends with it."""
    pytest.MonkeyPatch().setitem(DRIVERS, "stdio", _patient)


def _patient(argv: list[str], folder: Path, _adapter: Any) -> StdioDriver:
    return StdioDriver(argv, folder, HELLO_SECONDS)
