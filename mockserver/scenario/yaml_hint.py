"""What to mend where a text is not YAML.

The parser names the place at which it could not go on, and the construct that it was reading. The
mistake is often earlier: at the place where that construct begins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import yaml

_TABS = "indent with spaces, not with tabs"
_PROBLEMS = {
    "a tab character that violates indentation": _TABS,
    # YAML escapes are code points; it has no surrogate pairs, unlike JSON.
    "escape code": 'write a character beyond U+FFFF as it is, or as "\\U0001F600"',
    "mapping values are not allowed": "a text that has ': ' in it must be quoted",
}
_CONSTRUCTS = {
    "quoted scalar": "the quote that is opened in line {line}, column {column} is not closed",
    "flow sequence": "the '[' in line {line}, column {column} is not closed",
    "flow mapping": "the '{{' in line {line}, column {column} is not closed",
    "block": "entries of one list or mapping begin in the same column; a quote in single quotes is "
    "doubled",
}


def hint(error: yaml.MarkedYAMLError, text: str) -> str:
    """What to mend; empty if the parser's message is all that there is to say."""
    problem, construct = error.problem or "", error.context or ""
    for words, advice in _PROBLEMS.items():
        if words in problem:
            return advice
    if "cannot start any token" in problem and error.problem_mark:
        return _about_character(text.splitlines()[error.problem_mark.line :], error.problem_mark)
    mark = error.context_mark
    for words, advice in _CONSTRUCTS.items():
        if words in construct and mark:
            return advice.format(line=mark.line + 1, column=mark.column + 1)
    return ""


def _about_character(lines: list[str], mark: yaml.Mark) -> str:
    character = lines[0][mark.column]
    if character == "\t":
        return _TABS
    return f"a text that begins with {character!r} must be quoted"
