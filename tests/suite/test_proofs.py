"""Proofs: how their file is read, and when an output still shows what a proof says."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from conformance.contract.proof import Duty, Proof, Shown, Upstream
from conformance.report.sources import link
from conformance.suite.adapter_yaml import read_description
from conformance.suite.proofs import proofs_of, read_proofs
from mockserver.foundation.faults import AdapterError, Place
from tests.adapters.reproductions import departure_of
from tests.schemas.test_proofs import FULL, PROOF

ADAPTER = "name: a\ndrive: {stdio: [./a]}\ndialects: [chat]\nvocabulary: stream\n"
LINK = "https://platform.openai.com/docs/api-reference/chat-streaming/streaming"


def written(path: Path, *entries: dict[str, Any]) -> Path:
    path.write_text(yaml.dump(list(entries), sort_keys=False), "utf-8")
    return path


def test_a_proof_is_read_with_its_place_and_its_link(tmp_path: Path) -> None:
    (tmp_path / FULL["program"]).touch()
    more = {"name": "another", "case": "any/refusal@chat"}
    path = written(tmp_path / "proofs.yaml", PROOF, FULL | more)
    first, second = read_proofs(path)
    words: dict[str, Any] = {name: text for name, text in PROOF.items() if isinstance(text, str)}
    legal, must = PROOF["upstream"], PROOF["duty"]
    assert first == Proof(
        **words,
        upstream=Upstream("legal", legal["legal"], legal["line"]),
        duty=Duty("must", must["must"], must["says"]),
        shown=Shown(("called {}",)),
        place=Place(str(path), 1, 3),
    )
    assert link(first.upstream.at) == LINK
    assert second.upstream == Upstream("report", "owner/repository#1", "data: {")
    assert second.duty == Duty("own", "library/py.typed.md", "never runs half a call", 7)
    assert second.threads == ("https://example.com/1",)
    pieces = ("called {}",), ("error",), ('"stream":true',), ('"store"',)
    assert second.shown == Shown(*pieces, ends=False)
    assert second.program == "repro-turns.mjs"


@pytest.mark.parametrize(
    ("adapter", "proofs"), [("adapter.yaml", "proofs.yaml"), ("chat.yaml", "proofs-chat.yaml")]
)
def test_proofs_are_beside_their_description(tmp_path: Path, adapter: str, proofs: str) -> None:
    (tmp_path / adapter).write_text(ADAPTER, "utf-8")
    described = read_description(tmp_path / adapter)
    assert proofs_of(described) == []
    written(tmp_path / proofs, PROOF)
    assert [proof.does for proof in proofs_of(described)] == [PROOF["does"]]


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        (
            [PROOF | {"upstream": {"legal": "Hearsay", "line": "data:"}}],
            "the source 'Hearsay' has no link",
        ),
        (
            [PROOF | {"duty": {"must": "Hearsay", "says": "never"}}],
            "the source 'Hearsay' has no link",
        ),
        ([PROOF | {"lacks": ["called {}"]}], "'called {}' is in 'came' and in 'lacks'"),
        ([PROOF | {"sent": ["a"], "lacks_sent": ["a"]}], "'a' is in 'sent' and in 'lacks_sent'"),
        ([PROOF | {"program": "repro-no.mjs"}], "repro-no.mjs is not there"),
        (
            [PROOF, PROOF | {"name": "b", "program": "repro-no.mjs"}],
            "another proof of 'any/cut-inside-a-call@chat' has another program",
        ),
        ([PROOF, PROOF | {"came": ["b"]}], "'cut-call-is-executed' has a proof at"),
        ([PROOF | {"duties": "x"}], "unknown key 'duties'\n    did you mean 'duty'?"),
        ([{}], "the key 'name' is missing here"),
    ],
)
def test_a_wrong_proof_is_explained(
    tmp_path: Path, entries: list[dict[str, Any]], message: str
) -> None:
    with pytest.raises(AdapterError) as error:
        read_proofs(written(tmp_path / "proofs.yaml", *entries))
    assert message in str(error.value)


SHOWN = Shown(("call 1", "call 1"), ("failed",))


@pytest.mark.parametrize(
    ("shown", "output", "ended", "departure"),
    [
        (SHOWN, "call 1\ncall 1\n", True, ""),
        (SHOWN, "call 1\ncall 2\n", True, "it does not print 'call 1' after 'call 1'"),
        (SHOWN, "", True, "it does not print 'call 1'"),
        (SHOWN, "call 1\ncall 1\nfailed\n", True, "it prints 'failed'"),
        (SHOWN, "call 1\ncall 1\n", False, "it does not come to its end"),
        (Shown(("text",), ends=False), "text\n", False, ""),
        (Shown(("text",), ends=False), "text\n", True, "it comes to its end"),
        (Shown(("b", "a")), "a b\n", True, "it does not print 'a' after 'a b'"),
    ],
)
def test_an_output_shows_what_a_proof_says_or_not(
    shown: Shown, output: str, ended: bool, departure: str
) -> None:
    assert departure_of(shown, output, ended) == departure


SENT = Shown(("text",), sent=("approval", "approval"), lacks_sent=("output",))


@pytest.mark.parametrize(
    ("request_", "departure"),
    [
        ("approval approval", ""),
        ("", "it makes no request"),
        ("approval", "its last request does not have 'approval' after 'approval'"),
        ("approval approval output", "its last request has 'output'"),
    ],
)
def test_a_request_shows_what_a_proof_says_or_not(request_: str, departure: str) -> None:
    assert departure_of(SENT, "text\n", True, request_) == departure
