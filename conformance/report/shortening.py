"""Shortens the message of a finding to what fits in one line, and keeps what happened.

The circumstances of an ending go first, then the clauses that follow, then the middle of long
values. A message or an error that is still too long is cut at its end.
"""

from __future__ import annotations

import re

from conformance.dialects.short_text import clip, clip_middle

_LEAST_VALUE = 15
# What is left of a value in a message that is cut at its end.
_MOST_VALUE = 40
# A clause that is shorter, such as "it did not end", says too little alone.
_LEAST_CLAUSE = 25
# What a message that is too long may say shorter, in this order.
_SHORTER = tuple(
    (re.compile(long), short)
    for long, short in (
        (r" instead of ending as (.+?), although the upstream .+", r", not \1"),
        (r", (?:but|although) the upstream (?:sent|answered with) ", " despite "),
        (r"; the upstream sent ", "; upstream: "),
        (r", without [^,]+, .+ or \S+$", " without an ending"),
        (r"(?<=ended the stream) after \S+ (?=\(event \d+\))", " "),
        (r"(?<=, )up to \S+ \(event \d+\)$|, up to \S+ \(event \d+\)$", ""),
        (
            r"^a call went back upstream with the id (.+); the upstream called it (.+)$",
            r"the call \2 went back upstream as \1",
        ),
        (r"; the default is ", "; default: "),
        (r"; no trait \w+ is declared, so (.+) holds", r"; default: \1"),
        (r", even when cancelled at the time limit", ""),
        (r" when it was cancelled", ""),
        (r"^the run |^the adapter (?=crashed with )", ""),
        (
            r"^(\S+) comes when the block of \w+ (.+) has not started",
            r"\1 before its block \2 starts",
        ),
        (r"^went well up to event \d+ .*, which is to be ignored, and (?=crashed|ended as)", ""),
        (r"^text that was sent after ", "text sent after "),
        (r"^(text sent after \S+) \(event \d+\)", r"\1"),
        (r"; to be ignored after that: .+$", ""),
        (
            r"^went well up to event (\d+) .+?, and (crashed|ended as '\w+'): ",
            r"\2 after event \1: ",
        ),
        (r"^(?:crashed|ended as '\w+')(?: after event \d+)?: (?=the \w+ raised )", ""),
        (
            r"^a call '.*?' with id ('.*?') came out, which the upstream never sent .*",
            r"the call \1 came out, but cannot be executed",
        ),
        (
            r"^a call '.*?' with id ('.*?') came out, whose arguments do not parse as JSON; .*",
            r"the call \1 came out; its arguments are not JSON",
        ),
        (
            r"^a call '.*?' with id ('.*?') came out, which was sent after (.+?)"
            r"(?: \(event \d+\))?; its input .*",
            r"the call \1 came out, sent after \2",
        ),
        (r"^a call '.*?' with id ('.*?') (.*); its input is .*", r"the call \1 \2"),
        (r", which the upstream never made$", ", but was never made"),
        (r"^emitted part \d+ is not one of the vocabulary (\S+):", r"not a part of \1:"),
        # The words of an error say more than what the upstream did.
        (r"^((?:failed|crashed) with .+)(?:; upstream: | despite ).+$", r"\1"),
        (r"^(nothing says .+) despite .+$", r"\1"),
        (r"^((?:failed|crashed): .+); upstream: .+$", r"\1"),
        (r"^(crashed with )\"(.+)\"$", r"\1\2"),
    )
)
# Text in quotes, JSON, and words as long as only values are.
_VALUE = re.compile(r"""(?<!\w)'.+?'(?!\w)|(?<!\w)".+?"(?!\w)|[\[{].+[\]}]|\S{30,}""")
# The values in the words of an error, which may have any quotes, and how such messages begin.
_VALUE_OF_ERROR = re.compile(r"[\[{].+[\]}]|\S{30,}")
_ERROR = re.compile(
    r"the \w+ raised |(?:failed|crashed|ended as '\w+')(?: after event \d+)?(?: with|:) "
)


def shortened(message: str, most: int) -> str:
    """A message of at most ``most`` characters, with what happened in the words of the message."""
    for long, short in _SHORTER:
        if len(message) > most:
            message = long.sub(short, message, count=1)
    if len(message) <= most:
        return message
    values = _VALUE_OF_ERROR if _ERROR.match(message) else _VALUE
    if clause := _first_clauses(message, most, values):
        return clause
    clipped = _with_clipped_values(message, most, _LEAST_VALUE, values)
    if len(clipped) <= most:
        return clipped
    return clip(_with_clipped_values(message, most, _MOST_VALUE, values), most)


def _first_clauses(message: str, most: int, values: re.Pattern[str]) -> str:
    """The clauses of a message that fit, with an ellipsis; empty if the first is short or long."""
    spans = [value.span() for value in values.finditer(message)]
    ends = (
        at.start()
        for at in re.finditer("; ", message)
        if not any(start <= at.start() < end for start, end in spans)
    )
    fitting = [end for end in ends if _LEAST_CLAUSE <= end < most]
    return f"{message[: fitting[-1]]}…" if fitting else ""


def _with_clipped_values(message: str, most: int, least: int, values: re.Pattern[str]) -> str:
    """A message with its longest values shortened, to ``least`` characters, until it fits."""
    while len(message) > most:
        found = [value for value in values.finditer(message) if len(value[0]) > least]
        if not found:
            break
        longest = max(found, key=lambda value: len(value[0]))
        keep = max(least, len(longest[0]) - (len(message) - most))
        start, end = longest.span()
        message = message[:start] + _clipped_value(longest[0], keep) + message[end:]
    return message


def _clipped_value(value: str, most: int) -> str:
    """A value without its middle; a sentence in quotes without its end."""
    if value[0] in "'\"" and " " in value:
        return f"{value[: most - 2].rstrip()}…{value[-1]}"
    return clip_middle(value, most)
