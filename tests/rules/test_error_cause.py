"""The innermost cause of an error, from the texts that published libraries write."""

from conformance.rules.error_cause import innermost_cause
from tests.rows import row

NONE = "'NoneType' object has no attribute 'get'"
WRAPPED = f"litellm.APIConnectionError: APIConnectionError: OpenAIException - {NONE}"
TYPES = 'Type validation failed: Value: {"type":"response.output_item.added","item":null}.'

CAUSES = [
    ("missing output at index 1", "missing output at index 1"),
    ("", ""),
    (NONE, NONE),
    (
        f"litellm.MidStreamFallbackError: {WRAPPED} Original exception: APIConnectionError: "
        f"{WRAPPED}",
        NONE,
    ),
    ("request failed\ncaused by: connection reset by peer", "connection reset by peer"),
    ("TypeError: chunk.choices is not iterable", "TypeError: chunk.choices is not iterable"),
    (
        "json.decoder.JSONDecodeError: Extra data: line 1 column 3 (char 2)",
        "JSONDecodeError: Extra data: line 1 column 3 (char 2)",
    ),
    # A word alone says nothing without the name of its error.
    ("ProviderError: KeyError: 'usage'", "KeyError: 'usage'"),
    (
        "Model.stream: Failed to parse the parameters: SyntaxError: Unexpected end of JSON input",
        "SyntaxError: Unexpected end of JSON input",
    ),
    (
        '{ "method": "stream", "cause": SyntaxError: Unexpected end of JSON input }',
        "SyntaxError: Unexpected end of JSON input",
    ),
    ("Invalid output: Missing key\n  at [5]\nExpected UnknownEvent", "Invalid output: Missing key"),
    ('400 {"error": {"message": "The model does not exist.", "code": "x"}}', "The model does not "
     "exist."),
    (
        f'{TYPES}\nError message: [{{"code": "invalid_type", "path": ["item", "id"], "message": '
        '"expected string"}]',
        "item.id: expected string",
    ),
    # Which alternative was meant is unknown.
    (
        f'{TYPES}\nError message: [{{"code": "invalid_union", "errors": [[], []], "path": [], '
        '"message": "Invalid input"}]',
        TYPES,
    ),
    (f'{TYPES}\nError message: [{{"message": "one"}}, {{"message": "two"}}]', TYPES),
    (
        '{ "method": "stream", "cause": Chunk<A | B>\n└─ Chunk<A | B>\n   ├─ A\n'
        '   │  └─ ["sourceType"]\n   │     └─ is missing\n   └─ B\n      └─ Encoded side\n'
        '         └─ ["result"]\n            └─ Expected null, actual {"outputs":[]} }',
        'result: Expected null, actual {"outputs":[]}',
    ),
    ("content: events {'a': 1}, final {'a': 2}", "content: events {'a': 1}, final {'a': 2}"),
    ("the name: TypeError", "the name: TypeError"),
]  # fmt: skip


def test_the_cause_of_an_error_is_the_innermost_one_that_its_text_names() -> None:
    for message, cause in CAUSES:
        with row(message):
            assert innermost_cause(message) == cause
