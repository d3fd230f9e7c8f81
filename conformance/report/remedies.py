"""Says how to mend what breaks a rule: the texts of ``conformance/rules/remedies.yaml``."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import yaml

if TYPE_CHECKING:
    from collections.abc import Mapping


@cache
def remedies() -> Mapping[str, str]:
    """The remedies in Markdown, each on one line, by the id of their rule."""
    text = files("conformance.rules").joinpath("remedies.yaml").read_text("utf-8")
    read: dict[str, str] = yaml.safe_load(text)
    return {rule: remedy.strip() for rule, remedy in read.items()}
