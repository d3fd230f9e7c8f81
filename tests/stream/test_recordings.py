"""The findings about recorded streams of real upstreams, each with its reason."""

from dataclasses import dataclass, replace

import pytest

from conformance.findings.words import message_of
from streamproof._commands.judge_stream import judge_recording
from tests.data import DATA, needs_data

pytestmark = needs_data

FOLDER = DATA / "recordings"


@dataclass(frozen=True, slots=True)
class Known:
    """A finding about a recording: the rule, where, words of the message, and the reason."""

    rule: str
    event: int
    words: tuple[str, ...]
    because: str
    level: str = "must"


_PENALTIES = ("presence_penalty", "frequency_penalty")
LACKING = Known(
    "stream-types",
    0,
    ("completed_at", *_PENALTIES, "in 2 more"),
    because="the response object of api.openai.com lacks completed_at and both penalties",
)
LACKING_LESS = Known(
    "stream-types",
    0,
    (*_PENALTIES, "in 2 more"),
    because="the response object of api.openai.com lacks both penalties, lately no more the time",
)


_XAI = (
    "completed_at", "instructions", "'error'", "truncation", *_PENALTIES, "top_logprobs",
    "max_tool_calls", "background", "service_tier", "safety_identifier", "prompt_cache_key",
)  # fmt: skip
SPARSE = tuple(
    Known("stream-types", event, words, because="xAI's response object has what it needs itself")
    for event, words in ((0, (*_XAI, "usage", "in 1 more")), (678, (*_XAI, "temperature")))
)


def unprefixed(item: str, event: int) -> Known:
    return Known(
        "extensions",
        event,
        (repr(item),),
        because="OpenAI's own tool items have no vendor's prefix; in OpenResponses they need one",
    )


RESEALED = Known(
    "output-final",
    112,
    ("another encrypted_content",),
    because="reasoning is encrypted anew in the final response",
    level="should",
)
_BARE = ("prompt_cache_key", "encrypted_content: None")
COPILOT = (
    *(
        Known("stream-types", event, words, because="the proxy sends null, and keeps the cache key")
        for event, words in ((0, _BARE[:1]), (2, _BARE[1:]), (68, _BARE))
    ),
    *(
        Known(rule, event, ("capture-id-",), because="every event has ids of its own", level=level)
        for rule, event, level in (
            ("response-stable", 1, "should"),
            ("item-id-stable", 3, "must"),
            ("item-id-stable", 9, "must"),
        )
    ),
)


KNOWN: dict[str, tuple[Known, ...]] = {
    # Four responses, one after the other.
    "azure-reasoning-encrypted-content.1": (
        LACKING,
        RESEALED,
        *(replace(LACKING, event=event) for event in (113, 132, 151)),
    ),
    "github-copilot-id-rotation.1": COPILOT,
    # Every event of LM Studio's validates; order, sums and ids are right in its basic recording.
    "lmstudio-basic.1": (),
    "openai-apply-patch-tool.1": (LACKING, unprefixed("apply_patch_call", 2)),
    "openai-code-interpreter-tool.1": (LACKING, unprefixed("code_interpreter_call", 4)),
    "openai-error.1": (LACKING,),
    # Edited by hand: the text is empty in every event, so that nothing contradicts it.
    "openai-image-generation-tool.1": (LACKING, unprefixed("image_generation_call", 4)),
    "openai-local-shell-tool.1": (LACKING, unprefixed("local_shell_call", 4)),
    "openai-mcp-tool-approval.1": (
        LACKING_LESS,
        unprefixed("mcp_list_tools", 2),
        unprefixed("mcp_approval_request", 8),
    ),
    "openai-web-search-tool.1": (LACKING, unprefixed("web_search_call", 4)),
    "xai-image-generation-tool.1": (unprefixed("image_generation_call", 2),),
    "xai-reasoning.1": SPARSE,
}


def test_the_table_has_every_recorded_stream_of_responses() -> None:
    stems = sorted(path.stem for path in FOLDER.glob("*.jsonl"))
    assert sorted(KNOWN) == [stem for stem in stems if not stem.endswith((".chat", ".messages"))]


@pytest.mark.parametrize("name", KNOWN)
def test_a_recording_breaks_the_known_rules_of_its_upstream_and_no_other(name: str) -> None:
    judged = judge_recording((FOLDER / f"{name}.jsonl").read_bytes(), name)
    assert judged.dump.framing is None
    findings = judged.findings
    found = [(f.level, f.rule, f.event) for f in findings]
    assert found == [(known.level, known.rule, known.event) for known in KNOWN[name]]
    for finding, known in zip(findings, KNOWN[name], strict=True):
        assert all(word in message_of(finding) for word in known.words), message_of(finding)


def test_the_list_of_missing_fields_of_the_response_object_is_complete() -> None:
    """Both findings about missing fields name every missing field, and no other."""
    for name, known in KNOWN.items():
        judged = judge_recording((FOLDER / f"{name}.jsonl").read_bytes(), name)
        lacks = [f for f in judged.findings if f.rule == "stream-types"]
        words = [word for one in known if one.rule == "stream-types" for word in one.words]
        named = [word for word in words if not word.startswith(("in ", "encrypted_", "temp"))]
        assert sum(message_of(f).count("is a required property") for f in lacks) == len(named)
