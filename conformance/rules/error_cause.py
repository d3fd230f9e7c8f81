"""The innermost cause in the text of an error, as far as the text says which one it is.

Libraries wrap errors: ``APIConnectionError: … Original exception: 'NoneType' object has no
attribute 'get'``, or a message in JSON at the end. A reader wants the last of the chain.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from conformance.contract.notes import error_class
from conformance.contract.transcript import ReportedError
from conformance.dialects.short_text import first_line
from conformance.findings.values import ErrorValue
from mockserver.foundation.json_fields import mapping, text

_CAUSED_BY = re.compile(
    r"\b(?:original exception|caused by|root cause):\s+|[\"']cause[\"']: ", re.I
)
_NAME = r"(?:[A-Za-z_$][\w$]*\.)*[A-Z][\w$]*(?:Error|Exception)"
_WRAPPED = re.compile(rf": (?={_NAME}: )")
_NAMES = re.compile(rf"(?:{_NAME}(?:: | - ))+")
_PATH = re.compile(rf"^(?:[a-z_]\w*\.)+(?={_NAME}: )")
_END = " \n\t}."


def innermost_cause(message: str) -> str:
    """The first line of the last cause that an error's message names, without the errors around it.

    The name of an error stays if no other one is around it, without the path of its module.
    """
    inner = _CAUSED_BY.split(message[:_MOST_READ])[-1] or message
    inner = _message_in_json(inner) or _deepest_leaf(inner) or inner
    inner = _WRAPPED.split(inner.strip().partition("\n")[0])[-1]
    if inner != message.strip():
        inner = _without_outer_brackets(inner)
    names = _NAMES.match(inner)
    bare = inner[names.end() :] if names else inner
    is_chain = names is not None and len(re.findall(": | - ", names[0])) > 1
    return first_line(_PATH.sub("", bare if is_chain and " " in bare else inner), _MOST)


def error_value(error: ReportedError | None) -> ErrorValue:
    """An error that was reported, with its innermost cause; empty if there is none."""
    if error is None:
        return ErrorValue()
    cause = innermost_cause(error.message)
    named = error.thrown or error_class(cause) or error_class(error.message[:_MOST_READ])
    return ErrorValue(error.message, cause, named)


def _without_outer_brackets(said: str) -> str:
    """The end of a text without the brackets that were opened before it."""
    while said.count("{") < said.count("}") and said[-1] in _END:
        said = said[:-1]
    return said.rstrip()


_MOST = 200
_MOST_READ = 8000


_BRANCH = re.compile(r"^([ │]*)[├└]─ (.*)$", re.M)
_STEP = re.compile(r'^\["?(.+?)"?\]$')


def _deepest_leaf(said: str) -> str:
    """The deepest line of a tree of causes, with its path; empty if the text has no tree.

    Schema libraries print such trees: each line is the cause of the one it hangs on, or one of the
    alternatives that failed. The deepest is that of the alternative which fitted best.
    """
    branches = [(len(branch[1]), branch[2].strip()) for branch in _BRANCH.finditer(said)]
    if not branches:
        return ""
    deepest = max(range(len(branches)), key=lambda n: branches[n][0])
    depth, leaf = branches[deepest]
    path: list[str] = []
    for above, line in reversed(branches[:deepest]):
        if above < depth:
            depth = above
            path += [step[1] for step in [_STEP.match(line)] if step]
    return f"{'.'.join(reversed(path))}: {leaf}" if path else leaf


def _message_in_json(said: str) -> str:
    """The only message in JSON at the end of a text; empty if there is none, or several."""
    for opening in re.finditer(r"[\[{]", said):
        try:
            value = json.loads(said[opening.start() :].rstrip(" \n\t."))
        except ValueError:
            continue
        found = list(_messages(value))
        return found[0] if len(found) == 1 else ""
    return ""


def _messages(value: Any) -> Iterator[str]:
    """The messages in an error object, or in a list of problems, each with the place of its."""
    for each in value if isinstance(value, list) else [value]:
        fields = mapping(each)
        inner = mapping(fields.get("error")) or fields
        # The alternatives of a union are as many causes.
        if (message := text(inner.get("message"))) and not inner.get("errors"):
            path = inner.get("path")
            place = ".".join(map(str, path)) if isinstance(path, list) else ""
            yield f"{place}: {message}" if place else message
