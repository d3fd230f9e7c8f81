"""Says on a terminal what takes long."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from mockserver.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def status(text: str) -> Iterator[None]:
    """Show a text on a terminal's standard error until the block ends; nothing in a log."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with console.status(Text(visible(text)), spinner="line"):
        yield
