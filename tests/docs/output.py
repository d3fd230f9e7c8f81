"""Compares the output that a page shows with the real output."""

import re

# Alone in a line it stands for lines that are left out, else for the rest of a word or a line.
LEFT_OUT = "…"


def matches(shown: str, real: str) -> bool:
    """Whether the real output is as shown; ``…`` matches anything, trailing blanks are ignored."""
    pattern = "".join(map(_line, shown.strip("\n").splitlines()))
    return re.fullmatch(pattern, _clean(real)) is not None


def _line(line: str) -> str:
    if line.strip() == LEFT_OUT:
        return r"(?:.*\n)*?"
    pieces = (re.escape(piece) for piece in line.rstrip().split(LEFT_OUT))
    return f"{'.*?'.join(pieces)}\n"


def _clean(text: str) -> str:
    lines = [line.rstrip() for line in text.strip("\n").splitlines()]
    return "".join(f"{line}\n" for line in lines)
