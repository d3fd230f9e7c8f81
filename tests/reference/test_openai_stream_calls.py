"""The calls that the host executes, of functions and of OpenAI's tools, as stream parts.

The expected parts follow makeStreamResponse Alignment § Stream Events Reference, and `doStream` of
the AI SDK's provider, with the exceptions that `openai_stream.kinds` names.
"""

from __future__ import annotations

import pytest

from tests.reference.openai_events import (
    HOSTED,
    Json,
    added,
    call,
    done,
    input_delta,
    input_end,
    input_start,
    of_item,
    parts_of,
    result,
)
from tests.reference.openai_tools import (
    COMPUTER,
    COMPUTER_WITHOUT_CALL,
    DIFF,
    LOCAL_SHELL,
    NEW_PATCH,
    QUESTION,
    SHELL,
    SQL,
    arguments,
    custom,
    custom_input,
    diff,
    diff_done,
    function,
    patch_item,
)

PATCH_OPENING = '{"callId":"call_p","operation":{"type":"TYPE","path":"src/ä b.py","diff":"'


def patch_opening(type_: str) -> list[Json]:
    opening = PATCH_OPENING.replace("TYPE", type_)
    return [input_start("call_p", "apply_patch"), input_delta("call_p", opening)]


ESCAPED_DIFF = "@@\\n-s = 'a\\\\n'\\n+s = \\\"ä 🐍\\\"\\n"


def patch_call(type_: str = "update_file") -> Json:
    input_ = PATCH_OPENING.replace("TYPE", type_) + ESCAPED_DIFF + '"}}'
    return call("call_p", "apply_patch", input_, "apc_1")


PATCH_CLOSING = [input_delta("call_p", '"}}'), input_end("call_p")]
SHELL_INPUT = '{"action":{"commands":["ls","pwd"],"maxOutputLength":80}}'
DELETION = '{"callId":"call_p","operation":{"type":"delete_file","path":"src/ä b.py"}}'
COMPUTER_INPUT = (
    '{"actions":[{"type":"type","text":"cd \\"ä\\""}],'
    '"pendingSafetyChecks":[],"status":"completed"}'
)
SQL_CALL = call(
    "call_q",
    "run_sql",
    '"select \\"näme\\"\\nfrom t where p like \'C:\\\\%\'"',
    "ctc_1",
)
ROWS: dict[str, tuple[list[Json], list[Json]]] = {
    "a patch whose diff streams": (
        [
            added(NEW_PATCH),
            diff(DIFF[:10]),
            diff(DIFF[10:]),
            diff_done(),
            done(patch_item(diff=DIFF)),
        ],
        [
            *patch_opening("update_file"),
            input_delta("call_p", "@@\\n-s = 'a"),
            input_delta("call_p", '\\\\n\'\\n+s = \\"ä 🐍\\"\\n'),
            *PATCH_CLOSING,
            patch_call(),
        ],
    ),
    "a patch whose diff is not streamed": (
        [added(NEW_PATCH), diff_done(), done(patch_item(diff=DIFF))],
        [
            *patch_opening("update_file"),
            input_delta("call_p", ESCAPED_DIFF),
            *PATCH_CLOSING,
            patch_call(),
        ],
    ),
    "a new file whose diff is only in the finished item": (
        [
            added(patch_item("create_file", "in_progress", diff="")),
            done(patch_item("create_file", diff=DIFF)),
        ],
        [
            *patch_opening("create_file"),
            input_delta("call_p", ESCAPED_DIFF),
            *PATCH_CLOSING,
            patch_call("create_file"),
        ],
    ),
    "a patch that is not completed": (
        [added(NEW_PATCH), diff("@@"), done(patch_item(status="in_progress", diff="@@"))],
        [*patch_opening("update_file"), input_delta("call_p", "@@"), *PATCH_CLOSING],
    ),
    "a file that is deleted": (
        [added(patch_item("delete_file", "in_progress")), done(patch_item("delete_file"))],
        [
            input_start("call_p", "apply_patch"),
            input_delta("call_p", DELETION),
            input_end("call_p"),
            call("call_p", "apply_patch", DELETION, "apc_1"),
        ],
    ),
    "a local shell": (
        [added({**LOCAL_SHELL, "status": "in_progress"}), done(LOCAL_SHELL)],
        [
            call(
                "call_l",
                "local_shell",
                '{"action":{"type":"exec","command":["ls","-a"],"timeoutMs":9,"env":{"LANG":"C"}}}',
                "lsh_1",
            )
        ],
    ),
    "a shell of the host": (
        [added({**SHELL, "status": "in_progress"}), done(SHELL)],
        [call("call_s", "shell", SHELL_INPUT, "sh_1")],
    ),
    "a computer of the host": (
        [added({**COMPUTER, "status": "in_progress"}), done(COMPUTER)],
        [
            input_start("call_c", "computer"),
            input_delta("call_c", COMPUTER_INPUT),
            input_end("call_c"),
            call("call_c", "computer", COMPUTER_INPUT, "cu_1"),
        ],
    ),
    "a search for tools by the host": (
        [done({**QUESTION, "execution": "client", "call_id": "call_t"})],
        [
            input_start("call_t", "tool_search"),
            input_end("call_t"),
            call("call_t", "tool_search", '{"arguments":{"q":"x"},"call_id":"call_t"}', "ts_1"),
        ],
    ),
    "a function": (
        [added(function()), arguments('{"q":'), arguments(' "ä"}'), done(function('{"q": "ä"}'))],
        [
            input_start("call_1", "search"),
            input_delta("call_1", '{"q":'),
            input_delta("call_1", ' "ä"}'),
            input_end("call_1"),
            call("call_1", "search", '{"q": "ä"}', "fc_1"),
        ],
    ),
    "a function whose arguments do not stream": (
        [added(function()), done(function('{"q":1.0}'))],
        [
            input_start("call_1", "search"),
            input_end("call_1"),
            call("call_1", "search", '{"q":1.0}', "fc_1"),
        ],
    ),
    "a function that was cut off": (
        [added(function()), arguments('{"q":'), done(function('{"q":', "incomplete"))],
        [input_start("call_1", "search"), input_delta("call_1", '{"q":')],
    ),
    "a custom tool": (
        [
            added(custom(status="in_progress")),
            custom_input(SQL[:9]),
            custom_input(SQL[9:]),
            of_item("custom_tool_call_input.done", "ctc_1", input=SQL),
            done(custom(SQL)),
        ],
        [
            input_start("call_q", "run_sql", inputEncoding="text"),
            input_delta("call_q", SQL[:9]),
            input_delta("call_q", SQL[9:]),
            input_end("call_q"),
            SQL_CALL,
        ],
    ),
    "a custom tool whose input does not stream": (
        [added(custom()), done(custom(SQL))],
        [
            input_start("call_q", "run_sql", inputEncoding="text"),
            input_delta("call_q", SQL),
            input_end("call_q"),
            SQL_CALL,
        ],
    ),
    "a custom tool that was cut off": (
        [added(custom()), custom_input("sel"), done(custom("sel", "incomplete"))],
        [
            input_start("call_q", "run_sql", inputEncoding="text"),
            input_delta("call_q", "sel"),
        ],
    ),
}


@pytest.mark.parametrize(("events", "expected"), ROWS.values(), ids=ROWS)
def test_a_call_for_the_host_becomes_its_parts(events: list[Json], expected: list[Json]) -> None:
    assert parts_of(*events) == expected


def test_a_computer_call_without_a_call_id_is_a_hosted_placeholder() -> None:
    value = {"type": "computer_use_tool_result", "status": "completed"}
    assert parts_of(added(COMPUTER_WITHOUT_CALL), done(COMPUTER_WITHOUT_CALL)) == [
        input_start("cu_1", "computer", **HOSTED),
        input_end("cu_1"),
        call("cu_1", "computer", "", "cu_1", **HOSTED),
        result("cu_1", "computer", value),
    ]
