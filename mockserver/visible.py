"""Text of others, made harmless for a terminal."""

from __future__ import annotations


def visible(text: str) -> str:
    """Text with unprintable characters as escapes, so that it cannot control the terminal.

    These are control characters, line breaks, lone surrogates, and marks that change the direction
    or hide text.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def visible_lines(text: str) -> str:
    """The same for a text of several lines, whose line feeds stay."""
    return "\n".join(map(visible, text.split("\n")))
