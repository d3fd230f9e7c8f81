"""Secrets and personal data are replaced wherever they stand, and counted."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.contract.transcript import SentEvent
from streamproof._captures.redaction import Redaction

KEY = "sk-proj-abcdefghijklmnop1234"
SECRETS = {
    KEY: "REDACTED",
    "Authorization: Bearer abc.def-ghi_123": "Authorization: Bearer REDACTED",
    "ghp_abcdefghijklmnopqrst": "REDACTED",
    "AKIAABCDEFGHIJKLMNOP": "REDACTED",
    "x-api-key: 0123456789abcdef": "x-api-key: REDACTED",
    "https://h.example/v1?key=0123456789ab&alt=sse": "https://h.example/v1?key=REDACTED&alt=sse",
    "https://h.example/v1?a=1&code=Ab0123456789==": "https://h.example/v1?a=1&code=REDACTED",
    "https://maria:pa55word@h.example/v1": "https://REDACTED@h.example/v1",
    '{"password":"correct-horse","n":1}': '{"password":"REDACTED","n":1}',
    '{"client_secret": "0123456789"}': '{"client_secret": "REDACTED"}',
    "sk_live_0123456789abcdef": "REDACTED",
    "export MY_API_KEY=0123456789": "export MY_API_KEY=REDACTED",
    "AWS_SECRET='abc/def+0123'": "AWS_SECRET='REDACTED'",
    "curl -H 'Authorization: Basic bWFyaWE6cGFzcw=='": "curl -H 'Authorization: Basic REDACTED'",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\nxyz=\n-----END RSA PRIVATE KEY-----": (
        "-----BEGIN RSA PRIVATE KEY-----REDACTED-----END RSA PRIVATE KEY-----"
    ),
    "in organization org-AbCdEfGh0123456789abcdef on": "in organization REDACTED on",
    "file%3A%2F%2F%2Fhome%2Fmaria%2Fx": "file%3A%2F%2F%2Fhome%2Fuser%2Fx",
    "/home/maria/notes.txt": "/home/user/notes.txt",
    "/Users/maria": "/Users/user",
    "C:\\Users\\Maria Curie\\notes": "C:\\Users\\user\\notes",
    '{"path":"C:\\\\Users\\\\maria\\\\x"}': '{"path":"C:\\\\Users\\\\user\\\\x"}',
    "write to maria.curie@science.example.org.": "write to someone@example.com.",
}


@pytest.mark.parametrize(("text", "clean"), SECRETS.items())
def test_a_secret_is_replaced_and_counted(text: str, clean: str) -> None:
    redaction = Redaction()
    assert redaction.value({"a": [text], text: 1}) == {"a": [clean], clean: 1}
    assert sum(redaction.counts.values()) == 2


@pytest.mark.parametrize(
    "text",
    [
        "ask-me-anything-about-this-long-word",
        "the task-oriented-approach-is-here",
        "/home/user/x",
        "resp_0123456789abcdef0123456789abcdef",
        "call_kA46f91ZwocQyMCKyyZqRyC5",
        "user@host",
        "@decorator",
        "/homework/is/due",
        "pk_user_accounts_by_name_idx",
        "org-mode, and org-wide-settings-of-everyone",
        "the password: no",
        "sorted(words, key=lambda word: word)",
        "MAX_TOKENS=1000000000",
        "a basic explanation of authorization",
        "https://h.example/v1?page=0123456789",
        '{"token":"a token of the grammar"}',
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    redaction = Redaction()
    assert redaction.value(text) == text
    assert str(redaction) == ""


def test_a_field_with_the_name_of_a_key_is_redacted_as_a_whole() -> None:
    redaction = Redaction()
    metadata = {"api_key": "kept in a drawer", "X-Api-Key": "a", "password": {"type": "string"}}
    clean = {"api_key": "REDACTED", "X-Api-Key": "REDACTED", "password": {"type": "string"}}
    assert redaction.value({"metadata": metadata}) == {"metadata": clean}
    assert str(redaction) == "2 keys"


def _deltas(pieces: list[str], type_: str = "text.delta") -> tuple[SentEvent, ...]:
    return tuple(
        SentEvent(n, 0.0, "event", type_, {"output_index": 0, "delta": piece})
        for n, piece in enumerate(pieces)
    )


@given(st.data())
def test_a_secret_is_replaced_however_its_text_is_cut_into_deltas(data: st.DataObject) -> None:
    text = f"My key is {KEY}, in /home/maria/keys, says maria@example.org now."
    cuts = sorted(data.draw(st.sets(st.integers(1, len(text) - 1), max_size=12)))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    redaction = Redaction()
    said = "".join(event.data["delta"] for event in redaction.events(_deltas(pieces)))
    assert said == "My key is REDACTED, in /home/user/keys, says someone@example.com now."
    assert str(redaction) == "1 e-mail address, 1 key, 1 name in a path"


@pytest.mark.parametrize(
    "word", ["a", "a.", "a@", "sk-", "eyJ", "/home/", "a.b@c.", "KEY=", "C:\\Users\\", "a@b.co "]
)
def test_a_long_text_is_redacted_in_time(word: str) -> None:
    text = word * (400_000 // len(word))
    began = time.process_time()
    Redaction().text(text)
    assert time.process_time() - began < 5


def test_texts_of_two_blocks_are_not_joined() -> None:
    events = (
        SentEvent(0, 0.0, "event", "text.delta", {"output_index": 0, "delta": "/home/"}),
        SentEvent(1, 0.0, "event", "text.delta", {"output_index": 1, "delta": "sweet home"}),
    )
    assert Redaction().events(events) == events
