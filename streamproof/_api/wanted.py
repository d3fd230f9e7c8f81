"""What a test asks a run to play: cases of the catalogue, and scenarios of its own."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from streamproof._api.faults import Problem, UserError

Wanted = str | Path | Mapping[str, Any]
"""The id of a case, the file of a scenario, or a scenario as the value of its YAML file."""

_FILES = (".yaml", ".yml")
_NO_ID = re.compile("[^a-z0-9._-]+")
_UNNAMED = "scenario"
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class When:
    """A case of a run, and what a request has to say to get it: all that is not empty.

    ``message`` is a part of the last user message's text, ``tool`` the name of a tool that is
    offered, ``model`` the model's name, in which ``*`` is any text.
    """

    case: Wanted
    message: str = ""
    tool: str = ""
    model: str = ""

    @property
    def condition(self) -> dict[str, str]:
        """What is not empty. Raises UserError if one is not a text."""
        asked = {"message": self.message, "tool": self.tool, "model": self.model}
        for name, text in asked.items():
            if not isinstance(text, str):
                raise UserError(f"{name} of a When is a text, not {text!r:.80}")
        return {name: text for name, text in asked.items() if text}


def make_entry(wanted: Wanted | When, vary: str, folder: Path) -> dict[str, Any]:
    """The entry of ``cases`` in a request that opens a run.

    ``vary`` is added to the case, and files are relative to ``folder``. Raises UserError if it is
    none of these, or if the file cannot be read.
    """
    __tracebackhide__ = True
    when = wanted if isinstance(wanted, When) else When(wanted)
    named, own = read_wanted(when.case, folder)
    case = "+".join(filter(None, (named, vary)))
    scenario = {} if own is None else {"scenario": own}
    return {"case": case, "when": when.condition, **scenario}


def read_wanted(wanted: Any, folder: Path) -> tuple[str, Any]:
    """The id of a case, and the scenario if it is not one of the catalogue; else None."""
    __tracebackhide__ = True
    if isinstance(wanted, str) and not wanted.endswith(_FILES):
        return wanted, None
    if isinstance(wanted, str | Path):
        return _read_file(folder / wanted)
    if isinstance(wanted, Mapping):
        return _id(str(wanted.get("title", ""))), dict(wanted)
    hint = "write the id of a case, as any/refusal@chat, a file, or a scenario as a dict"
    raise UserError(Problem(f"{wanted!r:.120} is no case", hint=hint))


def _read_file(file: Path) -> tuple[str, str]:
    """The id of a scenario outside of a catalogue, its folder's name and its own, and its text."""
    __tracebackhide__ = True
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8"
        raise UserError(f"{file} cannot be read: {why}") from None
    return f"{_id(file.resolve().parent.name)}/{_id(file.stem)}", text


def _id(name: str) -> str:
    return _NO_ID.sub("-", name[:_LONGEST].lower()).strip("._-") or _UNNAMED
