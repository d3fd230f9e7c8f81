"""``streamproof report --issue``: a case as the text of an issue for a library's tracker."""

import re
from pathlib import Path

import pytest
import yaml

from tests.commands import call
from tests.schemas.test_proofs import PROOF
from tests.suite import DOUBLING, TRACEBACK, adapter, scenario, spoilt

CASE = "any/call-between-texts@openresponses"
LISTED = "- {case: any/call*, rule: call-once, kind: emitted-again, does: A call comes twice.}\n"
CLAUSE = "The first event MUST always be `response.output_item.added`."
SOURCE = "OpenResponses § Items are streamable"
MINE = PROOF | {
    "does": "A call comes twice.",
    "case": CASE,
    "rule": "call-once",
    "kind": "emitted-again",
    "duty": {"must": SOURCE, "says": CLAUSE},
}
SECTIONS = ["What the upstream sent", "What I expected", "What came", "How to reproduce it"]

SILENT = 'return {"type": "done", "id": run["id"], "outcome": "completed"}'

# It reads all that it is sent, and reports every failure as success.
HIDING = """
done = await self.inner.run(run, emit, cancel)
return {"type": "done", "id": run["id"], "outcome": "completed"}
"""

# The second request of a conversation has a number for a text.
SENDS_A_NUMBER = """
import aiohttp
from aiohttp import ClientSession

if len(run["messages"]) > 2:
    body = {"model": run["model"], "input": [{"role": "user", "content": 7}], "stream": True}
    async with ClientSession() as session:
        await session.post(run["base_url"] + "/responses", json=body)
    return {"type": "done", "id": run["id"], "outcome": "completed"}
return await self.inner.run(run, emit, cancel)
"""


def sections(text: str) -> dict[str, str]:
    """The sections of an issue by their headings; the title has the empty heading."""
    _, *found = re.split(r"^#{1,2} (.+)\n", "\n" + text, flags=re.MULTILINE)
    return dict(zip(found[::2], found[1::2], strict=True))


@pytest.fixture
def doubling(tmp_path: Path) -> Path:
    (tmp_path / "list.yaml").write_text(LISTED, "utf-8")
    (tmp_path / "repro-doubling.py").write_text("print('``` is a fence')\n", "utf-8")
    (tmp_path / "requirements.txt").write_text("lib==1.2.3\n", "utf-8")
    return spoilt(tmp_path, "doubling", DOUBLING, "known_failures: list.yaml")


def test_a_finding_without_a_proof_is_told_with_its_sources(doubling: Path) -> None:
    called = call("report", "--issue", CASE, "--adapter", doubling)
    assert called.code == 0, called.err
    title, *others = sections(called.out)
    assert title.startswith("The call 'gw-call_read' was emitted 2 times")
    assert others == SECTIONS
    found = sections(called.out)
    assert found[title].startswith("\nThis is ")
    assert '"type":"response.completed"' in found["What the upstream sent"]
    assert "lm-stream-semantics § 3.2 “" in found["What I expected"]
    reproduction = found["How to reproduce it"]
    assert "\n```sh\npip install -r requirements.txt && python3 repro.py http:" in reproduction
    assert "`requirements.txt`:\n\n```text\nlib==1.2.3\n```\n" in reproduction
    assert "`repro.py`:\n\n````python\nprint('``` is a fence')\n````\n" in reproduction
    assert f"streamproof repro {CASE} --adapter {doubling} --out FOLDER\n" in called.err
    assert "not confirmed: a finding in it has no proof" in called.err


def test_a_proof_gives_the_duty_what_came_the_harm_and_the_other_side(
    doubling: Path, tmp_path: Path
) -> None:
    shown = {"lacks": ["once"], "ends": False, "threads": ["https://example.com/1"]}
    (tmp_path / "proofs-doubling.yaml").write_text(yaml.safe_dump([MINE | shown]), "utf-8")
    called = call("report", "--issue", CASE, "--adapter", doubling)
    assert (called.code, "not confirmed" in called.err) == (0, False)
    found = sections(called.out)
    assert [*found] == [MINE["does"], *SECTIONS[:3], "What may be said against it", SECTIONS[3]]
    address = "https://www.openresponses.org/specification#items-are-streamable"
    says = f"The specification says ([{SOURCE}]({address})):\n\n> {CLAUSE}\n"
    assert says in found["What I expected"]
    came = found["What came"]
    assert MINE["loses"] in came
    for text in ("```text\ncalled {}\n```", "It does not print 'once'.", "It waits for ever."):
        assert text in came
    against = (
        f"\n{MINE['counter']}\n\n{MINE['answer']}\n\nReported before: <https://example.com/1>\n\n"
    )
    assert found["What may be said against it"] == against


def test_findings_of_one_proof_share_its_clause_and_output(doubling: Path, tmp_path: Path) -> None:
    case = "any/calls-before-text@openresponses"
    (tmp_path / "proofs-doubling.yaml").write_text(yaml.safe_dump([MINE | {"case": case}]), "utf-8")
    found = sections(call("report", "--issue", case, "--adapter", doubling).out)
    assert found["What came"].count("was emitted 2 times") == 1
    assert "The same happened 1 more time in this run." in found["What came"]
    assert found["What came"].count("The program below prints") == 1
    assert found["What I expected"].count(CLAUSE) == 1


def test_an_answer_that_is_cut_off_is_said_to_be(tmp_path: Path) -> None:
    hiding = adapter(tmp_path, "hiding", HIDING)
    called = call("report", "--issue", "any/cut-inside-text@openresponses", "--adapter", hiding)
    assert called.code == 0, called.err
    sent = sections(called.out)["What the upstream sent"]
    assert "Then the connection is closed in the middle of the body." in sent
    assert "([kortix-ai/suna#66](https://github.com/kortix-ai/suna/issues/66))" in called.out
    assert "The binding has no program yet" in called.out
    assert "a program in the library's own API" not in called.out


def test_only_what_the_run_was_sent_is_listed(tmp_path: Path) -> None:
    impatient = adapter(tmp_path, "impatient", HIDING, "claims: {turns: true}")
    case = "openresponses/status-429-then-stream@openresponses"
    called = call("report", "--issue", case, "--adapter", impatient)
    assert called.code == 0, called.err
    sent = sections(called.out)["What the upstream sent"]
    assert "The answer has the status 429" in sent
    assert "The answer to request" not in sent


def test_a_request_that_was_refused_is_shown_with_its_body(tmp_path: Path) -> None:
    wrong = adapter(tmp_path, "wrong", SENDS_A_NUMBER, "claims: {turns: true}")
    case = "any/conversation-two-questions@openresponses"
    called = call("report", "--issue", case, "--adapter", wrong)
    assert called.code == 0, called.err
    sent = sections(called.out)["What the upstream sent"]
    assert "The answer to request 1 of 2 has the status 200" in sent
    assert "Request 2 of 2 is refused with the status 400. Its body:\n\n```json\n{" in sent
    assert '"content": 7' in sent
    assert "request 3" not in sent


def test_nothing_is_said_to_be_sent_to_an_adapter_that_asked_for_nothing(tmp_path: Path) -> None:
    silent = adapter(tmp_path, "silent", SILENT)
    called = call("report", "--issue", CASE, "--adapter", silent)
    assert called.code == 0, called.err
    assert sections(called.out)["What the upstream sent"] == "\nNo request reached it.\n\n"


def test_a_program_that_says_no_hello_has_the_name_of_its_adapter(tmp_path: Path) -> None:
    (tmp_path / "once.sh").write_text("exit 0\n", "utf-8")
    described = tmp_path / "my-library.yaml"
    described.write_text(
        "name: my-library\ndrive: {exec: [sh, once.sh]}\ndialects: [openresponses]\n"
        "vocabulary: vscode\n",
        "utf-8",
    )
    called = call("report", "--issue", CASE, "--adapter", described)
    assert called.code == 0, called.err
    assert "This is my-library with a stream" in called.out


def test_a_binding_that_breaks_the_protocol_is_no_issue_of_its_library(tmp_path: Path) -> None:
    wrong = adapter(tmp_path, "wrong", 'return {"outcome": "perfect"}')
    called = call("report", "--issue", CASE, "--adapter", wrong)
    assert called.code == 4
    assert "wrong broke the protocol between it and the kit" in called.err


def test_a_long_answer_is_shortened(tmp_path: Path, doubling: Path) -> None:
    texts = "".join(f"      - text: '{n} {'x' * 500}'\n" for n in range(60))
    twice = "      - call: {id: call_1, name: a, arguments: '{}'}\n"
    own = scenario(tmp_path, "own/long", f"title: Long\nturns:\n  - says:\n{texts}{twice}")
    called = call("report", "--issue", own, "--adapter", doubling)
    assert called.code == 0, called.err
    shown = sections(called.out)["What the upstream sent"]
    assert re.search(r"\n… \d+ lines …\n", shown)
    assert len(shown) < 20_000


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 4, "--issue needs the adapter that the case is played to"),
        (["--adapter", "{tmp}/right.yaml"], 4, f"right does what is right in {CASE}"),
        (["--adapter", "{tmp}/gone.yaml"], 3, "gone.yaml: cannot be read"),
    ],
)
def test_a_mistake_is_explained(
    tmp_path: Path, arguments: list[str], code: int, message: str
) -> None:
    spoilt(tmp_path, "right", "emit(part)")
    given = [each.format(tmp=tmp_path) for each in arguments]
    called = call("report", "--issue", CASE, *given)
    assert called.code == code
    assert message in called.err
    assert TRACEBACK not in called.err
