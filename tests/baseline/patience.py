"""A pytest plugin that gives programs 60 s to say hello, for large libraries on a busy machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conformance.drivers.kinds import DRIVERS
from conformance.drivers.stdio import StdioDriver

if TYPE_CHECKING:
    from pathlib import Path

HELLO_SECONDS = 60.0


def pytest_configure() -> None:
    """Replace the stdio driver for the rest of the process."""
    pytest.MonkeyPatch().setitem(DRIVERS, "stdio", _patient)


def _patient(argv: list[str], folder: Path, _adapter: Any) -> StdioDriver:
    return StdioDriver(argv, folder, HELLO_SECONDS)
