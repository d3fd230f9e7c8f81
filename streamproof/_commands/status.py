"""Says on a terminal what takes long, and how far it is; a log gets none of it."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.text import Text

from mockserver.foundation.visible import say, visible, visible_lines


class _Shown:
    """A text that is asked for again whenever the line is drawn."""

    def __init__(self, text: Callable[[], str]) -> None:
        self._text = text

    def __rich__(self) -> Text:
        return Text(visible(self._text()), overflow="ellipsis", no_wrap=True)


_consoles: list[Console] = []


def log(line: str) -> None:
    """Print a line to standard error, above the status if one is shown."""
    if _consoles:
        _consoles[-1].print(Text(visible_lines(line)), soft_wrap=True)
    else:
        say(line, err=True)


@contextmanager
def status(text: str | Callable[[], str]) -> Iterator[None]:
    """Show a text on a terminal's standard error until the block ends.

    A function is asked for the text, several times a second.
    """
    # FORCE_COLOR makes a terminal of a log for rich.
    if not sys.stderr.isatty():
        yield
        return
    shown = _Shown(text if callable(text) else lambda: text)
    _consoles.append(console := Console(stderr=True))
    try:
        with console.status(shown, spinner="line"):
            yield
    finally:
        _consoles.pop()


@contextmanager
def counted(text: str, total: int, then: str) -> Iterator[Callable[[], None]]:
    """Show a text and how much of ``total`` is done, and another text after that.

    The function is to be called for each that is done.
    """
    done = 0

    def one_more() -> None:
        nonlocal done
        done += 1

    def shown() -> str:
        if done >= total:
            return then
        return f"{text}: {done:,} of {total:,} ({100 * done // total} %)"

    with status(shown):
        yield one_more
