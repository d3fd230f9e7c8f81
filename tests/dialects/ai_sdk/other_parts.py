"""Situations with errors and aborts, and with parts that no script has."""

from collections.abc import Mapping

from mockserver.dialects.vercel.parts import V4, V5, V6, V7
from tests.dialects.ai_sdk.situation import (
    BEGIN,
    BEGUN,
    Situation,
    end,
    model_text,
    one_step,
    part,
    text,
)

_PNG = "iVBORw0KGgo="

OTHERS: Mapping[str, Situation] = {
    "files": Situation(
        model=[[*BEGIN, part("file", mediaType="image/png", data=_PNG), end()]],
        full=one_step({"file": {"file": {"base64": _PNG, "mediaType": "image/png"}}}),
        ui=one_step({"file": {"url": f"data:image/png;base64,{_PNG}", "mediaType": "image/png"}}),
    ),
    "a caller that aborts": Situation(
        model=[[*BEGIN, *model_text("Hi")]],
        abort_after=4,
        full=[*BEGUN, *text("Hi", "text")[:2], {"abort": {"reason": "stopped"}}],
        ui=[*BEGUN, *text("Hi", "delta")[:2], {"abort": {"reason": "stopped"}}],
        misses=(V4,),
    ),
    "an error alone": Situation(
        model=[[*BEGIN, part("error", error={"message": "Too much."}), end("error")]],
        full=[
            *BEGUN,
            {"error": {"error": {"message": "Too much."}}},
            {"finish-step": {"reason": "error"}},
            {"finish": {"reason": "error"}},
        ],
        ui=[
            *BEGUN,
            {"error": {"errorText": "Too much."}},
            "finish-step",
            {"finish": {"reason": "error"}},
        ],
    ),
    "a request that fails": Situation(
        full=["start", {"error": {"error": {"name": "Error", "message": "Refused."}}}],
        ui=["start", {"error": {"errorText": "Refused."}}],
        misses=(V4,),
    ),
    "parts of ai 7": Situation(
        model=[
            [
                *BEGIN,
                part(
                    "custom",
                    kind="openai.compaction",
                    providerMetadata={"openai": {"itemId": "cmp_1"}},
                ),
                part("reasoning-start", id="r"),
                part("reasoning-delta", id="r", delta="Hm."),
                part("reasoning-file", mediaType="image/png", data={"type": "data", "data": _PNG}),
                part("reasoning-end", id="r"),
                part("text-start", id="t"),
                part("text-delta", id="t", delta="Hi"),
                part("text-end", id="t", citations=[]),
                end(),
            ]
        ],
        full=one_step(
            "ping",
            {
                "custom": {
                    "kind": "openai.compaction",
                    "providerMetadata": {"openai": {"itemId": "cmp_1"}},
                }
            },
            {"reasoning-start": {"id": "r"}},
            {"reasoning-delta": {"id": "r", "text": "Hm."}},
            {"reasoning-file": {"file": {"base64": _PNG, "mediaType": "image/png"}}},
            {"reasoning-end": {"id": "r"}},
            *text("Hi", "text")[:2],
            {"text-end": {"id": "t", "citations": []}},
        ),
        ui=one_step(
            {
                "custom": {
                    "kind": "openai.compaction",
                    "providerMetadata": {"openai": {"itemId": "cmp_1"}},
                }
            },
            {"reasoning-start": {"id": "r"}},
            {"reasoning-delta": {"id": "r", "delta": "Hm."}},
            {"reasoning-file": {"url": f"data:image/png;base64,{_PNG}", "mediaType": "image/png"}},
            {"reasoning-end": {"id": "r"}},
            *text("Hi", "delta")[:2],
            {"text-end": {"id": "t", "citations": []}},
        ),
        generation=V7,
        misses=(V4, V5, V6),
    ),
    "raw chunks": Situation(
        model=[[*BEGIN, part("raw", rawValue={"id": 1}), *model_text("Hi"), end()]],
        full=one_step({"event": {"type": "raw", "rawValue": {"id": 1}}}, *text("Hi", "text")),
        ui=one_step({"message-metadata": {"messageMetadata": {"raw": True}}}, *text("Hi", "delta")),
        misses=(V4,),
    ),
    "a source without a title": Situation(
        model=[
            [*BEGIN, part("source", sourceType="url", id="s", url="https://tides.example/"), end()]
        ],
        full=one_step(
            {"source": {"sourceType": "url", "id": "s", "url": "https://tides.example/"}}
        ),
        ui=one_step({"source-url": {"sourceId": "s", "url": "https://tides.example/"}}),
    ),
    "redacted reasoning": Situation(
        model=[
            [
                *BEGIN,
                part(
                    "reasoning-start",
                    id="r",
                    providerMetadata={"anthropic": {"redactedData": "eHh4"}},
                ),
                part("reasoning-end", id="r"),
                *model_text("Hi"),
                end(),
            ]
        ],
        full=one_step(
            {
                "reasoning-start": {
                    "id": "r",
                    "providerMetadata": {"anthropic": {"redactedData": "eHh4"}},
                }
            },
            {"reasoning-end": {"id": "r"}},
            *text("Hi", "text"),
        ),
        ui=one_step(
            {
                "reasoning-start": {
                    "id": "r",
                    "providerMetadata": {"anthropic": {"redactedData": "eHh4"}},
                }
            },
            {"reasoning-end": {"id": "r"}},
            *text("Hi", "delta"),
        ),
    ),
    "an error in text": Situation(
        model=[[*BEGIN, *model_text("Hi"), part("error", error="It broke."), end("error")]],
        full=[
            *BEGUN,
            *text("Hi", "text"),
            {"error": {"error": "It broke."}},
            {"finish-step": {"reason": "error"}},
            {"finish": {"reason": "error"}},
        ],
        ui=[
            *BEGUN,
            *text("Hi", "delta"),
            {"error": {"errorText": "It broke."}},
            "finish-step",
            {"finish": {"reason": "error"}},
        ],
    ),
}
