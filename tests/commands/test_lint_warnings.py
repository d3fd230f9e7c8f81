"""Lint warns about what goes out of ``sends`` otherwise than its author has meant.

Each row is a step as somebody writes it, what lint says of it, and the step as it was meant.
"""

from typing import NamedTuple

import pytest

from mockserver.cases.load import load
from mockserver.dialects import DIALECTS
from mockserver.foundation.faults import Place, Problem, ScenarioError
from mockserver.scenario.script import Send, Sends
from mockserver.scenario.source import read
from streamproof._commands.lint_warnings import find_warnings, place_warnings
from tests.events.sent import events_of

HEAD = """\
title: A step that is probably meant otherwise
source: [the tests of the commands]
conduct: violation
generation: {generation}
dialects: [{dialect}]
turns:
  - expect: {{parts: []}}
    sends:
"""
FIRST_LINE = HEAD.count("\n") + 1
INDENT = "      - "


class Row(NamedTuple):
    """A step after ``before`` that is probably meant otherwise: its column, message, fix."""

    step: str
    column: int
    message: str
    meant: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    generation: str = "v6"


ITEM = ("response.created", "response.output_item.added")
CALLS = (
    "response.output_item.added: {item: {type: function_call, id: fc_a}}",
    "response.output_item.added: {item: {type: function_call, id: fc_b}}",
)
PART = (*ITEM, "response.content_part.added", "response.output_text.delta: {delta: Hello}")

RESPONSES = (
    Row(
        "response.output_text.delta: {delta: x, index: 1}",
        48,
        "'index' is sent beside 'output_index', which says whose event it is",
        "response.output_text.delta: {delta: x, output_index: 0}",
        PART,
    ),
    Row(
        "response.completed: {reason: max_tokens}",
        30,
        "'reason' is sent beside 'response', which has a reason of its own",
        "response.incomplete: {response: {incomplete_details: {reason: max_output_tokens}}}",
    ),
    Row(
        "response.completed: {usage: {input_tokens: 1}}",
        30,
        "'usage' is sent beside 'response', not as a field of it",
        "response.completed: {response: {usage: {input_tokens: 1, total_tokens: 1}}}",
    ),
    Row(
        "response.completed: {response: {usage: {output_tokens: 5}}}",
        49,
        "'total_tokens' is sent as 16, and the counts are 16 and 5",
        "response.completed: {response: {usage: {output_tokens: 5, total_tokens: 21}}}",
    ),
    Row(
        "response.failed: {error: {code: a, message: b}}",
        27,
        "'error' is sent beside 'response', not as a field of it",
        "response.failed: {response: {error: {code: a, message: b}}}",
    ),
    Row(
        "response.incomplete: {reason: content_filter}",
        31,
        "'reason' is sent beside 'response', which has a reason of its own",
        "response.incomplete: {response: {incomplete_details: {reason: content_filter}}}",
    ),
    Row(
        "response.output_item.added: {type: reasoning}",
        38,
        "'type' is sent beside 'item', not as a field of it",
        "response.output_item.added: {item: {type: reasoning}}",
    ),
    Row(
        "response.content_part.added: {part: {type: refusal}, refusal: No}",
        62,
        "'refusal' is sent beside 'part', not as a field of it",
        "response.content_part.added: {part: {type: refusal, refusal: No}}",
        ITEM,
    ),
    Row(
        "response.output_text.delta: {text: Hello}",
        38,
        "'text' is sent beside 'delta', which is ''",
        "response.output_text.delta: {delta: Hello}",
        ITEM,
    ),
    Row(
        "response.refusal.done: {delta: No}",
        33,
        "'delta' is sent beside 'refusal', which is ''",
        "response.refusal.done: {refusal: No}",
        ITEM,
    ),
    Row(
        "response.custom_tool_call_input.delta: {input: select}",
        49,
        "'input' is sent beside 'delta', which is ''",
        "response.custom_tool_call_input.delta: {delta: select}",
        ("response.output_item.added: {item: {type: custom_tool_call}}",),
    ),
    Row(
        "error: {message: Slow down.}",
        17,
        "'message' is sent beside 'error', which has its own",
        "error: {error: {message: Slow down.}}",
    ),
    Row(
        "response.function_call_arguments.delta: {call_id: call_1, delta: x}",
        50,
        "'call_id' finds no item: the event is sent for 'fc_b'",
        "response.function_call_arguments.delta: {item_id: fc_a, delta: x}",
        CALLS,
    ),
    Row(
        "response.function_call_arguments.delta: {delta: x}",
        9,
        "several items are open: the event is sent for the last one, 'fc_b'",
        "response.function_call_arguments.delta: {output_index: 0, delta: x}",
        CALLS,
    ),
    Row(
        "response.function_call_arguments.done",
        9,
        "several items are open: the event is sent for the last one, 'fc_b'",
        "response.function_call_arguments.done: {item_id: fc_b}",
        CALLS,
    ),
    Row(
        "response.output_text.delta: {output_index: 1, delta: x}",
        38,
        "no item has the output_index 1: item_id is sent as 'msg_01'",
        "response.output_text.delta: {output_index: 0, delta: x}",
        ITEM,
    ),
    Row(
        "response.output_text.delta: {item_id: msg_9, delta: x}",
        38,
        "no item has the id 'msg_9': output_index is sent as 0",
        "response.output_text.delta: {item_id: msg_9, output_index: 0, delta: x}",
        ITEM,
    ),
    Row(
        "response.output_text.done: {content_index: 1}",
        37,
        "no text was sent for content_index 1: 'text' is sent as ''",
        "response.output_text.done: {content_index: 0}",
        PART,
    ),
    Row(
        "response.created: {sequence_number: 5}",
        28,
        "the event after it is sent with sequence_number 1",
        "response.created: {sequence_number: 0}",
        after=("response.completed",),
    ),
    Row(
        "response.function_call_arguments.delta: {delta: x, content_index: 0, x_acme: 1}",
        60,
        "'content_index' is sent, and the event has no such field",
        "response.function_call_arguments.delta: {delta: x, output_index: 0, x_acme: 1}",
        CALLS[:1],
    ),
    Row(
        "response.completed: {response: {usage: null, incomplete_detail: null}}",
        54,
        "'incomplete_detail' is sent, and 'response' has no such field",
        "response.completed: {response: {usage: null, incomplete_details: null}}",
    ),
    Row(
        "response.output_item.done: {item: {content: [{type: output_text, anotations: []}]}}",
        74,
        "'anotations' is sent, and an entry of 'content' has no such field",
        "response.output_item.done: {item: {content: [{type: output_text, annotations: []}]}}",
        ITEM,
    ),
    Row(
        "response.output_item.added: {item: {type: web_search_call, action: {querys: []}}}",
        77,
        "'querys' is sent, and 'action' has no such field",
        "response.output_item.added: {item: {type: web_search_call, action: {queries: []}}}",
    ),
)

CHAT = (
    Row(
        "finish: {reason: tool-calls}",
        18,
        "'tool-calls' is sent as it is; chat has 'tool_calls'",
        "finish: {finish_reason: tool-calls}",
    ),
    Row(
        "finish: {reason: stop, finish_reason: length}",
        18,
        "'reason' has no effect beside 'finish_reason', which is what is sent",
        "finish: {reason: length}",
    ),
    Row(
        "finish: {usage: {prompt_tokens: 1}}",
        18,
        "'usage' is sent as a field of the choice",
        "usage: {prompt_tokens: 1}",
    ),
    Row(
        "finish: {content: Bye}",
        18,
        "'content' is sent as a field of the choice",
        "finish: {delta: {content: Bye}}",
    ),
    Row(
        "delta: {index: 1, content: Hello}",
        17,
        "'index' is sent as a field of the delta",
        "chunk: {choices: [{index: 1, delta: {content: Hello}}]}",
    ),
    Row(
        "delta: {content: Hello, finish_reason: stop}",
        33,
        "'finish_reason' is sent as a field of the delta",
        "finish: {delta: {content: Hello}}",
    ),
    Row(
        "delta: {content: Hello, usage: null}",
        33,
        "'usage' is sent as a field of the delta",
        "chunk: {usage: null, choices: [{index: 0, delta: {content: Hello}}]}",
    ),
    Row(
        "delta: {delta: {content: Hello}}",
        17,
        "'delta' is sent as a field of the delta",
        "delta: {content: Hello}",
    ),
    Row(
        "delta: {tool_calls: [{id: call_1, function: {name: search}}]}",
        30,
        "a fragment of a call is sent without 'index'",
        "delta: {tool_calls: [{index: 0, id: call_1, function: {name: search}}]}",
    ),
    Row(
        "delta: {tool_calls: [{index: 0, arguments: x}]}",
        41,
        "'arguments' is sent beside 'function', not as a field of it",
        "delta: {tool_calls: [{index: 0, function: {arguments: x}}]}",
    ),
    Row(
        "delta: {text: Hello}",
        17,
        "the delta is sent with nothing but 'text'",
        "delta: {content: Hello}",
    ),
    Row(
        "delta: {t: Hello}", 17, "the delta is sent with nothing but 't'", "delta: {content: Hello}"
    ),
    Row(
        "usage: {input: 1, output: 2}",
        17,
        "the token counts are sent as input, output",
        "usage: {prompt_tokens: 1, completion_tokens: 2, total_tokens: 3}",
    ),
    Row(
        "usage: {input_tokens: 1, output_tokens: 2}",
        17,
        "the token counts are sent as input_tokens, output_tokens",
        "usage: {prompt_tokens: 1, completion_tokens: 2, total_tokens: 3}",
    ),
    Row(
        "usage: {usage: {prompt_tokens: 1}}",
        17,
        "'usage' is sent as a field of the usage",
        "usage: {prompt_tokens: 1}",
    ),
    Row(
        "chunk: {content: Hello}",
        17,
        "'content' is sent as a field of the chunk",
        "delta: {content: Hello}",
    ),
    Row(
        "chunk: {finish_reason: stop}",
        17,
        "'finish_reason' is sent as a field of the chunk",
        "chunk: {choices: [{index: 0, finish_reason: stop}]}",
    ),
    Row(
        "error: {error: {message: Slow down.}}",
        17,
        "'error' is sent as a field of the error",
        "error: {message: Slow down.}",
    ),
    Row(
        "usage: {prompt_tokens: 1, prompt_tokens_details: {cached_token: 1}}",
        59,
        "'cached_token' is sent, and 'prompt_tokens_details' has no such field",
        "usage: {prompt_tokens: 1, prompt_tokens_details: {cached_tokens: 1}}",
    ),
)

FULLSTREAM = (
    Row(
        "finish: {reason: tool_calls}",
        18,
        "'tool_calls' is sent as it is; the AI SDK has 'tool-calls'",
        "finish: {reason: tool-calls}",
    ),
    Row(
        "finish-step: {reason: stop, finishReason: length}",
        23,
        "'reason' does not set 'finishReason', which is given beside it",
        "finish-step: {reason: length}",
    ),
    Row(
        "finish: {finishReason: length}",
        18,
        "'rawFinishReason' is sent as 'stop' beside it",
        "finish: {finishReason: length, rawFinishReason: stop}",
    ),
    Row(
        "finish: {usage: {inputTokens: 1}}",
        18,
        "'usage' is sent beside 'totalUsage', which is filled in",
        "finish: {usage: {inputTokens: 1}, totalUsage: null}",
    ),
    Row(
        "finish: {totalUsage: {inputTokens: 1}}",
        31,
        "'totalTokens' is sent as 24, and the counts are [1, 8]",
        "finish: {totalUsage: {inputTokens: 1, totalTokens: 9}}",
    ),
    Row(
        "text-delta: {delta: Hello}",
        22,
        "'delta' is sent, which is called 'text' here",
        "text-delta: {text: Hello}",
    ),
    Row(
        "tool-call: {args: {q: 1}}",
        21,
        "'args' is sent, which is called 'input' here",
        "tool-call: {args: {q: 1}}\n        absent: [input]",
    ),
    Row(
        "error: {errorText: It failed.}",
        17,
        "'errorText' is sent beside 'error', which is filled in",
        "error: {error: It failed.}",
    ),
    Row(
        "finish: {totalUsage: {inputTokens: 1}}",
        18,
        "'totalUsage' is sent beside 'usage', which is filled in",
        "finish: {usage: {promptTokens: 1, totalTokens: 9}}",
        generation="v4",
    ),
)

RAW = (
    Row(
        'raw: "data: 5"',
        9,
        "the event after it is sent in the same line",
        'raw: "data: 5\\n\\n"',
        after=("delta",),
    ),
    Row(
        'raw: "data: {\\r\\n"',
        9,
        "the event after it is sent as further data of the same event",
        'raw: "id: 7\\r\\n"',
        after=("delta",),
    ),
)

GATEWAY = (
    Row(
        "text-start: {toolName: search, x_acme: 1}",
        22,
        "'toolName' is sent, and the event has no such field",
        "text-start: {x_acme: 1}",
    ),
    Row(
        "finish: {usage: {outputTokens: {totl: 3}}}",
        41,
        "'totl' is sent, and 'outputTokens' has no such field",
        "finish: {usage: {outputTokens: {total: 3}}}",
    ),
    Row(
        "finish: {finishReason: {unified: length}}",
        33,
        "'raw' is sent as 'stop' beside it",
        "finish: {reason: length}",
    ),
    Row(
        "finish: {totalUsage: {}}",
        18,
        "'totalUsage' is sent beside 'usage', which is filled in",
        "finish: {usage: {}}",
    ),
)

UI = (
    Row(
        "tool-input-delta: {delta: '{}'}",
        28,
        "'delta' is sent, which is called 'inputTextDelta' here",
        "tool-input-delta: {inputTextDelta: '{}'}",
    ),
    Row(
        "error: {message: It failed.}",
        17,
        "'message' is sent beside 'errorText', which is filled in",
        "error: {errorText: It failed.}",
    ),
)

ROWS = [
    pytest.param(dialect, row, id=f"{dialect}: {row.step}")
    for dialect, rows in {
        "openresponses": RESPONSES,
        "chat": (*CHAT, *RAW),
        "vercel-fullstream": FULLSTREAM,
        "vercel-gateway": GATEWAY,
        "vercel-ui": UI,
    }.items()
    for row in rows
]


def warnings(dialect: str, generation: str, *steps: str) -> list[Problem]:
    head = HEAD.format(dialect=dialect, generation=generation)
    if dialect != "vercel-fullstream":
        head = head.replace(f"generation: {generation}", "about: Nothing")
    file = (head + "".join(f"{INDENT}{step}\n" for step in steps)).encode()
    scenario = load(file, "mine.yaml", f"{dialect}/mine")
    return list(place_warnings(find_warnings(scenario), read(file, "mine.yaml")))


@pytest.mark.parametrize(("dialect", "row"), ROWS)
def test_a_field_that_is_probably_meant_otherwise_is_reported_with_its_place_and_what_is_sent(
    dialect: str, row: Row
) -> None:
    steps = (*row.before, row.step, *row.after)
    (problem,) = warnings(dialect, row.generation, *steps)
    assert problem.message == row.message
    assert str(problem.place) == f"mine.yaml:{FIRST_LINE + len(row.before)}:{row.column}"
    assert problem.hint


@pytest.mark.parametrize(("dialect", "row"), ROWS)
def test_what_was_meant_is_not_reported(dialect: str, row: Row) -> None:
    assert warnings(dialect, row.generation, *row.before, row.meant, *row.after) == []


@pytest.mark.parametrize(
    ("because", "dialect", "step"),
    [
        (
            "a field may be taken away",
            "openresponses",
            "error: {message: m}\n        absent: [error]",
        ),
        (
            "a vendor has the field, and another object of the specification has one of its name",
            "openresponses",
            "response.completed: {response: {user: null}}",
        ),
        (
            "a vendor may have any field",
            "chat",
            "chunk: {choices: [{index: 0, delta: {content: Hi, acme_score: 1}}], x_acme: {a: 1}}",
        ),
        (
            "both places are meant if both are written",
            "openresponses",
            "response.completed: {usage: {}, response: {usage: {}}}",
        ),
        ("a server may have fields of its own", "chat", "delta: {content: a, x_trace: {b: 1}}"),
        (
            "without choices it is no chunk",
            "chat",
            "chunk: {message: m}\n        absent: [choices]",
        ),
    ],
)
def test_what_is_written_on_purpose_is_not_reported(because: str, dialect: str, step: str) -> None:
    assert warnings(dialect, "v6", step) == [], because


def test_both_names_of_a_field_are_sent_in_the_generation_that_has_both() -> None:
    assert warnings("vercel-fullstream", "seed", "finish: {usage: {}}") == []


def test_a_warning_is_given_once_for_all_dialects() -> None:
    file = HEAD.format(dialect="vercel-gateway, vercel-ui", generation="v6")
    file = (
        file.replace("generation: v6", "about: Nothing")
        + f"{INDENT}finish: {{reason: tool_calls}}\n"
    )
    scenario = load(file.encode(), "mine.yaml", "vercel/mine")
    assert len(find_warnings(scenario)) == 1


def test_a_script_full_of_mistakes_has_at_most_fifty_warnings() -> None:
    assert len(warnings("chat", "v6", *["delta: {index: 1}"] * 80)) == 50


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_step_of_says_in_sends_is_named_as_such(dialect: str) -> None:
    with pytest.raises(ScenarioError) as raised:
        warnings(dialect, "v6", "call: {id: call_1, name: search}")
    assert raised.value.problems[0].hint.startswith("'call' is a step of 'says'.")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_fields_of_any_type_can_be_warned_about(dialect: str) -> None:
    for event in events_of(dialect):
        for value in (None, True, 5, 1.5, "x", [], [5], {}, {"usage": 5, "id": [], "type": {}}):
            steps = (Send(event.name, dict.fromkeys([*event.field.fields, "x"], value)),) * 2
            script = Sends(steps, (Place("mine.yaml"),) * 2)
            sent = DIALECTS[dialect].steps(script, 0)
            for warning in DIALECTS[dialect].writing.warn(script, sent):
                assert warning.message
