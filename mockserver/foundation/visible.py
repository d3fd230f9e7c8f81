"""Text of others, made harmless for a terminal."""

import logging
from io import StringIO

import click


def visible(text: str) -> str:
    """Text with unprintable characters as escapes, so that it cannot control the terminal.

    These are control characters, line breaks, lone surrogates, and marks that change the direction
    or hide text.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def visible_lines(text: str) -> str:
    """A text of several lines as ``visible`` writes it, but for its line feeds, which stay."""
    return "\n".join(map(visible, text.split("\n")))


def say(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Print lines to standard output, or to standard error, with unprintable characters escaped."""
    click.echo(visible_lines(text), err=err, nl=nl)


def say_usage_error(error: click.ClickException) -> None:
    """Print an error of the command line as click does, with unprintable characters escaped."""
    shown = StringIO()
    error.show(file=shown)
    say(shown.getvalue().expandtabs(4), err=True, nl=False)


def log_to_stderr() -> None:
    """Log warnings to standard error as the server's log has its lines, with the moment in front.

    Unprintable characters are escaped.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(_VisibleFormatter("%(asctime)s  %(levelname)s  %(message)s", "%H:%M:%S"))
    logging.basicConfig(handlers=[handler], level=logging.WARNING)


class _VisibleFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return visible_lines(super().format(record))
