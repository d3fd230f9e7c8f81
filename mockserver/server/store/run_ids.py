"""Ids of runs that carry their case, so that any worker can play them.

An id is the case's id, a fingerprint of its scenario's file, and a nonce, signed with the secret of
the server. It comes back in URLs from anywhere, so nothing in it is believed unless it is signed,
and its length is bounded. A file that was edited since has another fingerprint: a run plays one
version of a scenario, or none.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections import OrderedDict
from typing import TYPE_CHECKING

from mockserver.faults import Problem, UserError
from mockserver.render import case
from mockserver.scenario.case import parse
from mockserver.server.refusals import Refused

if TYPE_CHECKING:
    from mockserver.render import Case
    from mockserver.scenario.catalogue import Catalogue, Entry

_MAX_CASE_BYTES = 600
_NONCE_BYTES = 6
_PRINT_BYTES = 6
_SIGNATURE_BYTES = 12
_MAX_CACHED = 1024

_HEAD = _SIGNATURE_BYTES + _NONCE_BYTES + _PRINT_BYTES
_MAX_LENGTH = (_HEAD + _MAX_CASE_BYTES) * 4 // 3 + 4
_ID = re.compile("[A-Za-z0-9_-]+")


class RunIds:
    """Makes and reads the ids of the runs of one server."""

    def __init__(self, secret: bytes, catalogue: Catalogue) -> None:
        self._secret = secret
        self._catalogue = catalogue
        # By the text of a case's id, each with the entry that it was made of.
        self._cases: OrderedDict[str, tuple[Entry, Case]] = OrderedDict()

    def new(self, chosen: Case) -> str:
        """A new id for a run of this case. Raises UserError if the case's id is too long."""
        text = str(chosen).encode()
        if len(text) > _MAX_CASE_BYTES:
            hint = "take fewer variations, or a server with one worker"
            raise UserError(
                Problem(f"a case's id of {len(text):,} bytes fits in no run's id", hint=hint)
            )
        entry = self._catalogue.entry(chosen.scenario.id)
        payload = secrets.token_bytes(_NONCE_BYTES) + _fingerprint(entry) + text
        return urlsafe_b64encode(self._signature(payload) + payload).decode().rstrip("=")

    def case(self, id_: str) -> Case | None:
        """The case of the run with this id; None if this server has not made the id.

        Raises Refused if the scenario has changed since.
        """
        payload = self._payload(id_)
        if payload is None:
            return None
        named = payload[_NONCE_BYTES + _PRINT_BYTES :].decode()
        entry = self._catalogue.entry(parse(named).scenario)
        if entry is None or _fingerprint(entry) != payload[_NONCE_BYTES:][:_PRINT_BYTES]:
            raise Refused(409, f"the scenario of {named} has changed since the run was opened")
        return self._played(named, entry)

    def _payload(self, id_: str) -> bytes | None:
        if len(id_) > _MAX_LENGTH or not _ID.fullmatch(id_) or len(id_) % 4 == 1:
            return None
        data = urlsafe_b64decode(id_ + "=" * (-len(id_) % 4))
        signature, payload = data[:_SIGNATURE_BYTES], data[_SIGNATURE_BYTES:]
        return payload if hmac.compare_digest(signature, self._signature(payload)) else None

    def _signature(self, payload: bytes) -> bytes:
        return hmac.digest(self._secret, payload, "sha256")[:_SIGNATURE_BYTES]

    def _played(self, named: str, entry: Entry) -> Case | None:
        known = self._cases.get(named)
        if known is None or known[0] is not entry:
            if entry.scenario is None:
                return None
            known = self._cases[named] = (entry, case(entry.scenario, parse(named)))
            if len(self._cases) > _MAX_CACHED:
                self._cases.popitem(last=False)
        return known[1]


def _fingerprint(entry: Entry | None) -> bytes:
    """What changes when the file of a scenario is edited; all workers read the same files."""
    text = "" if entry is None else f"{entry.path}\n{entry.stamp}"
    return hashlib.sha256(text.encode()).digest()[:_PRINT_BYTES]
