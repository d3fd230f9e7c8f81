"""Ids of runs that carry what they play, so that any worker can play them.

An id is what was asked for, a fingerprint of the scenarios' files, and a nonce, signed with the
secret of the server. It comes back in URLs from anywhere, so nothing in it is believed unless it is
signed, and its length is bounded. A file that was edited since has another fingerprint: a run plays
one version of a scenario, or none.
"""

import hashlib
import hmac
import json
import re
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable, Sequence
from functools import lru_cache

from mockserver.cases.case import make_case, parse
from mockserver.cases.catalogue import Catalogue, Entry
from mockserver.foundation.faults import Problem, UserError
from mockserver.foundation.identity import Same
from mockserver.scenario.model import Scenario
from mockserver.server.answers import Refused
from mockserver.server.runs import Condition, Offer

_MAX_BYTES = 600
_NONCE_BYTES = 6
_PRINT_BYTES = 6
_SIGNATURE_BYTES = 12
_MAX_CACHED = 1024

_HEAD = _SIGNATURE_BYTES + _NONCE_BYTES + _PRINT_BYTES
_MAX_LENGTH = (_HEAD + _MAX_BYTES) * 4 // 3 + 4
_ID = re.compile("[A-Za-z0-9_-]+")

_Asked = tuple[str, dict[str, str]]


class RunIds:
    """Makes and reads the ids of the runs of one server."""

    def __init__(self, secret: bytes, catalogue: Catalogue) -> None:
        self._secret = secret
        self._catalogue = catalogue

    def new(self, offers: Sequence[Offer], default: bool = False) -> str:
        """A new id for a run with these offers.

        Raises UserError if the ids of its cases are too long, or if only the worker that opens the
        run would know what it plays, or that it is the ``default`` run.
        """
        if default or any(offer.own for offer in offers):
            what = "'default'" if default else "a 'scenario' that comes with the request"
            hint = "take a server with one worker"
            raise UserError(Problem(f"one worker alone would know of {what}", hint=hint))
        asked = [[offer.named, offer.when.to_json()] for offer in offers]
        text = json.dumps(asked, separators=(",", ":"), ensure_ascii=False).encode()
        if len(text) > _MAX_BYTES:
            hint = "take fewer cases and variations, or a server with one worker"
            raise UserError(
                Problem(f"a choice of {len(text):,} bytes fits in no run's id", hint=hint)
            )
        entries = [self._catalogue.entry(offer.case.scenario.id) for offer in offers]
        payload = secrets.token_bytes(_NONCE_BYTES) + _fingerprint(entries) + text
        return urlsafe_b64encode(self._signature(payload) + payload).decode().rstrip("=")

    def offers(self, id_: str) -> tuple[Offer, ...] | None:
        """What the run with this id plays; None if this server has not made the id.

        Raises Refused if a scenario has changed since.
        """
        payload = self._payload(id_)
        if payload is None:
            return None
        text = payload[_NONCE_BYTES + _PRINT_BYTES :]
        asked: list[_Asked] = json.loads(text)
        entries = [self._catalogue.entry(parse(named).scenario) for named, _ in asked]
        if _fingerprint(entries) != payload[_NONCE_BYTES:][:_PRINT_BYTES]:
            names = ", ".join(named for named, _ in asked)
            raise Refused(409, f"the scenario of {names} has changed since the run was opened")
        scenarios = [Same(entry.scenario) for entry in entries if entry and entry.scenario]
        return _make_offers(text, *scenarios) if len(scenarios) == len(asked) else None

    def _payload(self, id_: str) -> bytes | None:
        if len(id_) > _MAX_LENGTH or not _ID.fullmatch(id_) or len(id_) % 4 == 1:
            return None
        data = urlsafe_b64decode(id_ + "=" * (-len(id_) % 4))
        signature, payload = data[:_SIGNATURE_BYTES], data[_SIGNATURE_BYTES:]
        return payload if hmac.compare_digest(signature, self._signature(payload)) else None

    def _signature(self, payload: bytes) -> bytes:
        return hmac.digest(self._secret, payload, "sha256")[:_SIGNATURE_BYTES]


@lru_cache(_MAX_CACHED)
def _make_offers(text: bytes, *scenarios: Same[Scenario]) -> tuple[Offer, ...]:
    asked: list[_Asked] = json.loads(text)
    return tuple(
        Offer(make_case(each.value, parse(named)), named, Condition(**when))
        for each, (named, when) in zip(scenarios, asked, strict=True)
    )


def _fingerprint(entries: Iterable[Entry | None]) -> bytes:
    """What changes when the file of a scenario is edited; all workers read the same files."""
    text = "\n".join(f"{each.path}\n{each.stamp}" if each else "" for each in entries)
    return hashlib.sha256(text.encode()).digest()[:_PRINT_BYTES]
