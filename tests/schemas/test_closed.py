"""The kit's own contracts are closed: no value of another type, and no unknown field.

A document with every field is changed in every place in turn.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from conformance.findings.words import finding_json
from mockserver.foundation.schemas import accepts
from tests.schemas import VALUES, Path, at, dotted, ours, places, problems, replaced
from tests.schemas import test_driver as driver
from tests.schemas.test_adapter import FULL as ADAPTER
from tests.schemas.test_known_failures import ENTRY
from tests.schemas.test_proofs import FULL as PROOF
from tests.schemas.test_transcript import EVERYTHING
from tests.schemas.test_vscode_parts import CALL, DATA, THINKING
from tests.suite import recordings
from tests.suite.test_junit import MUST as FINDING

_NULL = (type(None),)
_ANYTHING = (object,)


@dataclass(frozen=True, slots=True)
class Closed:
    """A valid document of a contract.

    ``may`` has the places that accept further types; ``open`` those whose content is not checked.
    """

    contract: str
    document: Any
    may: dict[str, tuple[type, ...]] = field(default_factory=dict)
    open: tuple[str, ...] = ()

    def places(self) -> Iterator[Path]:
        for place in places(self.document):
            if not any(dotted(place).startswith(f"{name}.") for name in self.open):
                yield place

    def fits(self, place: Path, value: Any) -> bool:
        stands = type(at(self.document, place))
        number = (int, float) if stands is float else (stands,)
        further = self.may.get(dotted(place), ())
        return type(value) in number or isinstance(value, further)


_FINDING = finding_json(FINDING) | {"event": 4, "part": 0}

DOCUMENTS = [
    Closed("results", recordings.header(), open=("adapters.*.traits",)),
    Closed(
        "results",
        recordings.result({}) | {"findings": [_FINDING]},
        may={"findings.*.event": _NULL, "findings.*.part": _NULL, "transcript": _NULL},
        open=("transcript", "findings.*.values"),
    ),
    Closed("results", recordings.footer(1, failed=7)),
    Closed("adapter", ADAPTER),
    Closed("known-failures", [ENTRY | {"issue": "example#7"}]),
    Closed("proofs", [PROOF]),
    Closed("parts/vscode", {"type": "text", "value": "Hi"}),
    Closed("parts/vscode", CALL, open=("input",)),
    Closed("parts/vscode", DATA),
    Closed(
        "parts/vscode",
        THINKING | {"id": "rs_1", "metadata": {"a": 1}},
        may={"value": (list,)},
        open=("metadata",),
    ),
    Closed("parts/vscode", THINKING | {"value": ["Hm."]}, may={"value": (str,)}),
    Closed("driver", driver.KIT_HELLO),
    Closed("driver", driver.ADAPTER_HELLO),
    Closed(
        "driver", driver.FULL_RUN, open=("options", "messages.*.content.*", "tools.*.input_schema")
    ),
    Closed("driver", driver.PART, open=("part",)),
    Closed("driver", driver.DONE | {"finish": "stop", "usage": {"input": 1, "output": 2}}),
    Closed("driver", driver.FAILED),
    Closed("driver", driver.UNSUPPORTED | {"issue_url": "example#7"}),
    Closed("driver", driver.ERROR | {"traceback": "Traceback"}),
    Closed("driver", driver.CANCEL),
    Closed("driver", driver.CANCELLING),
    Closed("driver", driver.BYE),
    Closed(
        "transcript",
        EVERYTHING,
        may={
            "requests.*.turn": _NULL,
            "requests.*.body": _ANYTHING,
            "requests.*.events.*.data": _ANYTHING,
            "requests.*.left": _NULL,
            "requests.*.ended": _NULL,
            "cancelled": _NULL,
            "ends.*.finish": _NULL,
            "ends.*.usage": _NULL,
            "ends.*.error": _NULL,
            "ends.*.error.kind": _NULL,
            "ends.*.error.code": _NULL,
        },
        open=("requests.*.body", "requests.*.events.*.data", "parts.*.part", "ends.*.usage"),
    ),
]


def title(closed: Closed) -> str:
    document = closed.document if isinstance(closed.document, dict) else {}
    kind = document.get("type") or document.get("kind", "")
    return f"{closed.contract} {kind}".strip()


@pytest.mark.parametrize("closed", DOCUMENTS, ids=title)
def test_a_field_accepts_only_its_own_types(closed: Closed) -> None:
    assert problems(ours(closed.contract), closed.document) == []
    for place in closed.places():
        for value in VALUES:
            other = replaced(closed.document, place, value)
            if not closed.fits(place, value):
                assert not accepts(ours(closed.contract), other), other
            elif isinstance(value, closed.may.get(dotted(place), ())) and value in (None, "x", []):
                assert accepts(ours(closed.contract), other), other


@pytest.mark.parametrize("closed", DOCUMENTS, ids=title)
def test_an_unknown_field_is_refused(closed: Closed) -> None:
    objects = [
        place for place in [(), *closed.places()] if isinstance(at(closed.document, place), dict)
    ]
    for place in objects:
        widened = at(closed.document, place) | {"x_new": 1}
        other = replaced(closed.document, place, widened) if place else widened
        is_open = dotted(place) in closed.open
        assert accepts(ours(closed.contract), other) == is_open, dotted(place)
