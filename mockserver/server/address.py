"""Parses the path of a request: which scenario or run it addresses, and which operation.

``/s/<case id>/v1/<operation>``, ``/r/<run id>/v1/<operation>`` and ``/v1/<operation>``. In place of
``/v1`` there may be the other prefixes that SDKs use: nothing, ``/v1/ai``, ``/v3/ai`` and
``/v4/ai`` (@ai-sdk/gateway), or ``/api`` (a chat transport), also behind ``/v1``. The prefix does
not determine the dialect. Case ids contain slashes, and so do model ids, which may follow the
operation ``models``.

A client whose base URL is fixed, such as a gateway, names a run by the model ``mock/r/<run id>``.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal
from urllib.parse import unquote

Base = Literal["scenario", "run", "plain"]

_PREFIX = r"(?:/v1(?:/ai|/api)?|/v[34]/ai|/api)?"
_BASE = rf"(?:/s/(?P<scenario>.+?)|/r/(?P<run>[^/]+))?{_PREFIX}"
# A model id does not contain the segment ``models``: the last one in a path is the operation.
_MODEL = r"(?:(?<=/models)/(?P<model>(?!.*/models(?:/|$)).+))?"
_MAX_CACHED = 256
_RUN = re.compile(r"/r/(?P<run>[^/]+)")
_RUN_AS_MODEL = re.compile(r"mock/r/(?P<run>[\w-]+)")
_RUN_IN_BODY = re.compile(rb'"model"\s*:\s*"(?P<model>mock/r/[\w-]+)"')


@dataclass(frozen=True, slots=True)
class Address:
    """What a path addresses.

    ``chosen`` is the case id or run id in the base URL. ``operation`` is empty if no dialect has
    it. ``model`` is the model in the path: below ``models``, or in the place of the placeholder of
    an operation such as ``models/{model}:generate``.
    """

    base: Base
    chosen: str = ""
    operation: str = ""
    model: str = ""


def split_run_url(base_url: str) -> tuple[str, str]:
    """The base URL of the server, for the base URL of a run, and the model that names the run."""
    return f"{base_url.partition('/r/')[0]}/v1", model_of_run(base_url)


def model_of_run(base_url: str) -> str:
    """The model that names the run with this base URL."""
    return f"mock/r/{base_url.partition('/r/')[2].partition('/')[0]}"


def address_by_model(address: Address, models: Iterable[str], body: bytes) -> Address:
    """The address of the run that a model names, in the path, a header or the body.

    It is the same address if no run is named, or if the base URL names a scenario or a run.
    """
    if address.base != "plain":
        return address
    in_body = _RUN_IN_BODY.search(body)
    named = (address.model, *models, in_body["model"].decode() if in_body else "")
    runs = (run for model in named if (run := _RUN_AS_MODEL.fullmatch(model)))
    run = next(runs, None)
    return replace(address, base="run", chosen=run["run"]) if run else address


def _pattern(operation: str) -> str:
    """A regular expression for an operation, in which ``{model}`` stands for a model id.

    ``{id}`` stands for any other id, which may contain slashes.
    """
    pattern = re.escape(operation).replace(re.escape("{model}"), "(?P<placed>[^/]+?)")
    return pattern.replace(re.escape("{id}"), ".+?")


class Addresses:
    """Parses paths for a server that has these operations."""

    def __init__(self, operations: Iterable[str]) -> None:
        longest_first = sorted(operations, key=len, reverse=True)
        self._paths = {
            each: re.compile(f"{_BASE}/{_pattern(each)}{_MODEL}") for each in longest_first
        }
        self._read_cached = lru_cache(_MAX_CACHED)(self._read)

    def read(self, raw_path: str) -> Address:
        """Parse a path from a request line, percent-encoded or not."""
        return self._read_cached(raw_path)

    def _read(self, raw_path: str) -> Address:
        path = unquote(raw_path)
        for operation, pattern in self._paths.items():
            if match := pattern.fullmatch(path):
                named = match.groupdict()
                model = named["model"] or named.get("placed") or ""
                if scenario := named["scenario"]:
                    return Address("scenario", scenario, operation, model)
                run = named["run"]
                return Address("run" if run else "plain", run or "", operation, model)
        of_run = _RUN.match(path)
        return Address("run", of_run["run"]) if of_run else Address("plain")
