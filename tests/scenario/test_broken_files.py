"""A broken scenario file is reported with line and column, the value, and a hint."""

from textwrap import dedent

import pytest

from mockserver.cases.load import load
from mockserver.foundation.faults import ScenarioError

HEAD = "title: Broken\nsource: [x]\ndialects: [openresponses]\n"
SAYS = HEAD + "turns:\n  - says:\n"
SENDS = HEAD + "turns:\n  - expect: {parts: []}\n    sends:\n"
CHUNKS = SENDS.replace("openresponses", "chat")
PARTS = SENDS.replace("openresponses", "vercel-fullstream")
OPEN = SAYS + "      - start: {text: t}\n      - start: {call: c, id: i, name: f}\n"
ANSWER = HEAD + "turns:\n  - expect: {parts: [], outcome: failed}\n"
ATTEMPTS = HEAD + "turns:\n  - attempts:\n      - says: [{text: a}]\n"
GATED = "      - says: [{start: {text: t}}, {delta: {t: x}}, {checkpoint: here}, {end: t}]\n"

# Each: the text, the line and column of the problem with words of its message, words of its hint.
BROKEN: dict[str, tuple[str, ...]] = {
    "evidence without a line": ("title: Broken\nseen: [a/b#1]\nturns: [{says: [{text: a}]}]\n",
        '2:8 "a/b#1" is a string; a mapping is expected (at seen)',
        "write a mapping such as {at: owner/repository#1, line:"),
    "evidence with an empty line": (
        "title: Broken\nseen: [{at: a/b#1, line: '', upstream: me}]\nturns: [says: [text: a]]\n",
        '2:26 "" is empty (at seen.line)'),
    "arguments that are too deep": (
        SAYS + f"      - call: {{id: i, name: f, arguments: '{'[' * 10_000}'}}\n",
        "6:9 the arguments of the call 'i' are nested deeper than 512 levels",
        "is written with 'sends'"),
    "arguments that are too deep where they end": (
        OPEN + f"      - delta: {{c: '{'[' * 300}'}}\n      - delta: {{c: '{'[' * 213}'}}\n"
        "      - end: c\n", "10:9 the arguments of the call 'i' are nested deeper than 512 levels",
        "is written with 'sends'"),
    "arguments that are too deep and cut off": (OPEN
        + f"      - delta: {{c: '{'[' * 10_000}'}}\n      - end: t\n      - incomplete: length\n",
        "7:9 the arguments of the call 'i' are nested deeper than 512 levels",
        "is written with 'sends'"),
    "arguments with a number that is too large": (
        SAYS + "      - call: {id: i, name: f, arguments: '{\"n\":1e400}'}\n",
        "6:9 or have a number that does not fit a double", "is written with 'sends'"),
    "more events than a turn may have": (SAYS + f"      - {{text: &t {'x' * 9_000}, in: 9000}}\n"
        "      - {text: *t, in: 9000}\n      - comment: x\n      - {text: *t, in: 9000}\n",
        "9:9 more than 20,000 events in one turn, once 'in' is expanded",
        "give it fewer steps, or a smaller 'in'"),
    "more events of reasoning than a turn may have": (
        SAYS + f"      - reasoning: {{text: [&t {'x' * 9_000}, *t, *t]}}\n        in: 9000\n",
        "6:9 more than 20,000 events in one turn", "a smaller 'in'"),
    "more events of a dialect than a turn may have": (SENDS + "      - response.created\n" * 20_001,
        "20007:9 more than 20,000 events in one turn", "fewer steps"),
    "more events than a file may have": (HEAD + "turns:\n  - then: {user: more}\n"
        f"    says: &s [{{text: &t {'x' * 9_000}, in: 9000}}, {{text: *t, in: 9000}}]\n"
        + "  - {says: *s, then: {user: more}}\n" * 6,
        "11:5 more than 100,000 events in one file", "make it two files"),
    "an input that is too deep": (
        SAYS + f"      - call: {{id: i, name: f, input: {'{a: ' * 10_000}1{'}' * 10_000}}}\n",
        "6:176 nested deeper than 40 levels"),
    "an expected input that is too deep": (
        ANSWER.replace("parts: []", f"parts: [{{call: {{id: i, name: f, input: {'[' * 500}"),
        "5:87 nested deeper than 40 levels"),
    "a generation of what has none": (
        "title: Broken\ngeneration: v4\ndialects: [vercel-ui]\nturns: [{says: [{text: a}]}]\n",
        "2:1 only the parts of vercel-fullstream are of a generation; this is vercel-ui",
        "leave it out"),
    "shared fields of what has no chunks": (
        "chunks: {system_fingerprint: fp_1}\n" + SENDS + "      - response.created\n",
        "1:1 only chunks of chat have fields beside their choices; this is openresponses",
        "write them in each event"),
    "shared fields of a script": (
        "title: Broken\nchunks: {model: m}\ndialects: [chat]\nturns: [{says: [{text: a}]}]\n",
        "2:1 'chunks' is about the chunks of 'sends', and no turn has any", "leave it out"),
    "choices that all chunks share": ("chunks: {choices: []}\n" + CHUNKS + "      - finish\n",
        "8:9 'chunks' has 'choices', which chunks do not share",
        "write it in the steps that send it"),
    "a misspelt field that all chunks share": (
        "chunks: {sytem_fingerprint: fp_1}\n" + CHUNKS + "      - finish\n",
        "8:9 a chunk has no field 'sytem_fingerprint'", "did you mean 'system_fingerprint'?"),
    "a part that no layer has": (PARTS + "      - text-dleta: {id: t, text: a}\n",
        "7:9 vercel-fullstream has no 'text-dleta'", "did you mean 'text-delta'"),
    "a part of another layer": (PARTS + "      - stream-start\n",
        "7:9 vercel-fullstream has no 'stream-start'", "unknown: {type: stream-start, …}"),
    "a part of another generation": (
        PARTS + "      - tool-call-streaming-start: {toolCallId: c, toolName: f}\n",
        "7:9 fullStream of v6 has no 'tool-call-streaming-start'; seed, v4 have it",
        "generation: v4"),
    "a known part sent as an unknown one": (PARTS + "      - unknown: {type: text-start, id: t}\n",
        "7:9 vercel-fullstream has 'text-start'", "write it as it is"),
    "a misspelt field of a part": (
        PARTS + "      - tool-call: {toolCallID: c, toolName: f, input: {}}\n",
        "7:21 tool-call has no field 'toolCallID'", "did you mean 'toolCallId'"),
    "a field in snake case": (
        PARTS + "      - tool-call: {tool_call_id: c, toolName: f, input: {}}\n",
        "7:21 tool-call has no field 'tool_call_id'", "did you mean 'toolCallId'"),
    "a field under its name in another dialect": (PARTS + "      - text-delta: {id: a, delta: x}\n",
        "7:29 text-delta has no field 'delta' here", "write 'text', or say 'conduct: deviation'"),
    "a field under its name in another generation": (
        "generation: v4\n" + PARTS + "      - tool-call: {toolCallId: c, toolName: f, input: {}}\n",
        "8:49 tool-call has no field 'input' here", "write 'args', or say 'conduct: deviation'"),
    "a checkpoint after a part that is not text": (
        PARTS + "      - start\n      - checkpoint: here\n",
        "8:9 the checkpoint 'here' does not stand right after a text delta",
        "there must be text to wait for"),
    "a header that is a number": (ANSWER + "    status: 429\n    headers: {Retry-After: 1}\n",
        "7:28 1 is a whole number; a string is expected", "quote it"),
    "a pause that is a number": (PARTS + "      - start\n      - pause: 5000\n",
        "8:16 5000 is a whole number; a string is expected", "write a string such as 20ms or 1.5s"),
    "a header of two lines": (ANSWER + '    status: 429\n    headers: {X-A: "a\\nSet-Cookie: b"}\n',
        "7:20 is not the value of a header, one line"),
    "a header that ends the line": (ANSWER + '    status: 429\n    headers: {X-A: "a\\n"}\n',
        "7:20 is not the value of a header, one line"),
    "a header with a name of two lines": (ANSWER
        + '    status: 429\n    headers: {"X\\r\\nY": a}\n', "7:15 is not the name of a header"),
    "a header that frames the body": (
        ANSWER + '    status: 429\n    headers: {content-length: "5"}\n',
        "7:15 the header 'content-length' is the server's own", "leave it out"),
    "a header of the connection": (ANSWER + "    status: 429\n    headers: {Keep-Alive: timeout}\n",
        "7:15 the header 'Keep-Alive' is the server's own", "leave it out"),
    "a header in two spellings": (ANSWER + '    status: 429\n    headers: {X-A: "1", x-a: "2"}\n',
        "7:25 the header 'x-a' is here twice"),
    "an invalid status": (ANSWER + "    status: 199\n", "6:13 199 is less than 200"),
    "a status that is too high": (ANSWER + "    status: 600\n", "6:13 600 is more than 599"),
    "a body that is a number": (ANSWER + "    status: 500\n    body: 5\n",
        "7:11 a mapping or a list or a string is expected"),
    "a body where HTTP has none": (
        HEAD + "turns:\n  - expect: {parts: []}\n    status: 204\n    body: x\n",
        "7:5 an answer with the status 204 has no body"),
    "headers of a stream": (SAYS + "      - text: a\n    headers: {X-A: b}\n",
        "7:5 'headers' belongs to a plain answer"),
    "a plain answer that leaves open what is right": (HEAD + "turns:\n  - status: 429\n",
        "5:5 a turn with 'status' says in 'expect' what is right", "add expect"),
    "an error that is expected to be complete": (
        HEAD + "turns:\n  - status: 429\n    expect: {parts: []}\n",
        "6:13 an answer with the status 429 has failed", "'outcome: failed'"),
    "two forms of an answer": (SAYS + "      - text: a\n    status: 200\n", "5:5 either 'says'"),
    "an only attempt": (HEAD + "turns:\n  - attempts:\n      - says: [{text: a}]\n",
        "6:7 has fewer entries than 2"),
    "something beside attempts": (ATTEMPTS + "      - says: [{text: b}]\n    says: [{text: c}]\n",
        "8:5 'says' is beside 'attempts'", "each attempt has its own"),
    "attempts of an attempt": (ATTEMPTS + "      - attempts: []\n",
        "7:9 unknown key 'attempts'", "known here"),
    "an attempt without an answer": (ATTEMPTS + "      - expect: {parts: []}\n",
        "7:9 either 'says'"),
    "a checkpoint of two attempts": (HEAD + "turns:\n  - attempts:\n" + 2 * GATED,
        "7:9 the checkpoint 'here' is here twice"),
    "an unknown key": ("titel: x\nturns: []\n", "1:1 unknown key 'titel'", "'title'"),
    "a missing key": ("title: Nothing\n", "1:1 'turns' is missing"),
    "a number for a string": (HEAD + "turns:\n  - says:\n      - text: 5\n",
        "6:15 5 is a whole number; a string is expected", "quote it"),
    "a value outside its enumeration": (HEAD + "turns:\n  - says:\n      - close: cutt\n",
        '6:16 "cutt" is not one of clean, cut, reset, half-close, stall', "'cut'"),
    "a duration without a unit": (HEAD + 'turns:\n  - says:\n      - pause: "20"\n',
        "6:16 is not such as 20ms or 1.5s"),
    "two things in one step": (HEAD + "turns:\n  - says:\n      - text: a\n        end: b\n",
        "6:9 a step does one thing; this one has text, end", "a dash of its own"),
    "a step without a thing": (HEAD + "turns:\n  - says:\n      - in: 3\n",
        "6:9 only in", "a dash of its own"),
    "a split where nothing can be split": (
        HEAD + "turns:\n  - says:\n      - finish: stop\n        in: 3\n",
        "6:9 'finish' has none to cut"),
    "a delta for no block": (
        HEAD + "turns:\n  - says:\n      - start: {text: t}\n      - delta: {u: x}\n",
        "7:9 no block 'u' is open here", "open blocks: t"),
    "a delta after its end": (HEAD
        + "turns:\n  - says:\n      - start: {text: t}\n      - end: t\n      - delta: {t: x}\n",
        "8:9 the block 't' has ended before"),
    "a block that stays open": (
        HEAD + "turns:\n  - says:\n      - start: {text: t}\n      - finish: stop\n",
        "7:9 the block 't' (started at line 6) is still open", "- end: t"),
    "a block that starts twice": (
        HEAD + "turns:\n  - says:\n      - start: {text: t}\n      - start: {text: t}\n",
        "7:9 the block 't' was started before"),
    "a citation in no block": (OPEN + "      - cite: {block: u, url: x, title: y}\n",
        "8:9 no block 'u' is open here", "open blocks: t, c"),
    "a citation in a call": (OPEN + "      - cite: {block: c, url: x, title: y}\n",
        "8:9 the block 'c' is no text"),
    "a citation without a block": (OPEN + "      - cite: {url: x, title: y}\n",
        "8:15 the key 'block' is missing here"),
    "a citation without a source": (OPEN + "      - cite: {block: t}\n",
        "8:9 no source", "'file_id'"),
    "a page without a title": (OPEN + "      - cite: {block: t, url: x}\n",
        "8:9 this is no source: a citation with url", "a page has a 'url' and a 'title'"),
    "a page in a file": (OPEN + "      - cite: {block: t, url: x, title: y, file_id: f}\n",
        "8:9 this is no source: a citation with file_id and title and url",
        "a page has a 'url' and a 'title'"),
    "a file by its name alone": (OPEN + "      - cite: {block: t, filename: a.pdf}\n",
        "8:9 this is no source: a citation with filename", "a file has a 'file_id'"),
    "a legal script that cites a file": (
        SAYS + "      - start: {text: t}\n      - cite: {block: t, file_id: f}\n      - end: t\n",
        "5:5 an upstream that cites the file 'f' is not within its specification",
        "conduct: deviation"),
    "a legal event that cites a file": (
        SENDS + "      - response.output_text.annotation.added: {annotation: {type: file_path}}\n",
        "7:9 an upstream that cites 'file_path' is not within its specification",
        "conduct: deviation"),
    "a legal part that cites a file": (SENDS
        + "      - response.content_part.done: {part: {annotations: [{type: file_citation}]}}\n",
        "7:9 an upstream that cites 'file_citation' is not within its specification",
        "conduct: deviation"),
    "data that is not base64": (
        SAYS + "      - text: a\n    expect: {parts: [{data: {mimeType: image/png, data: a}}]}\n",
        "7:57 is not base64 with its padding"),
    "an expected citation without a source": (
        SAYS + "      - text: a\n    expect: {parts: [{cite: {}}]}\n", "7:29 is empty"),
    "a call without an id": (HEAD + "turns:\n  - says:\n      - start: {call: c, name: f}\n",
        "6:9 a call starts with an 'id' and a 'name'"),
    "a call id used twice": (HEAD
        + "turns:\n  - says:\n      - call: {id: c1, name: f}\n      - call: {id: c1, name: g}\n",
        "7:9 the call id 'c1' is used twice"),
    "input and arguments": (
        HEAD + "turns:\n  - says:\n      - call: {id: c1, name: f, input: {}, arguments: x}\n",
        "6:9 not both"),
    "a cancellation at no checkpoint": (
        HEAD + "turns:\n  - cancel: {at: half}\n    says:\n      - start: {text: t}\n"
        + "      - delta: {t: x}\n      - checkpoint: halve\n      - end: t\n",
        "5:18 the script has no checkpoint 'half' to cancel at", "did you mean 'halve'?"),
    "a negative number of parts before a cancellation": (
        HEAD + "turns:\n  - cancel: {after_parts: -1}\n    says: [{text: a}]\n",
        "5:27 -1 is less than 0 (at turns.cancel.after_parts)"),
    "too many parts before a cancellation": (
        HEAD + "turns:\n  - cancel: {after_parts: 1001}\n    says: [{text: a}]\n",
        "5:27 1001 is more than 1000"),
    "two cancellations": (
        HEAD + "turns:\n  - cancel: {after_parts: 1, at: x}\n    says: [{text: a}]\n",
        "5:13 has more keys than 1"),
    "a cancellation of a long text": (
        HEAD + f"turns:\n  - cancel: {{after_parts: 1}}\n    says: [{{text: {'a' * 4097}}}]\n",
        "5:13 at most 4,096 characters of content"),
    "a cancellation of a long expectation": (
        HEAD + "turns:\n  - cancel: {after_parts: 1}\n    sends: [response.created]\n"
        + f"    expect: {{parts: [{{text: {'a' * 4097}}}], outcome: failed}}\n",
        "5:13 at most 4,096 characters of content"),
    "a checkpoint without text": (
        HEAD + "turns:\n  - says:\n      - checkpoint: here\n      - text: x\n",
        "6:9 does not stand right after a text delta", "there must be text to wait for"),
    "a step after the close": (HEAD + "turns:\n  - says:\n      - close: cut\n      - text: x\n",
        "7:9 nothing can follow the step that closes the stream"),
    "text after the ending": (HEAD + "turns:\n  - says:\n      - finish: stop\n      - text: x\n",
        "7:9 'text' is after the step that ends the response"),
    "both forms": (HEAD + "turns:\n  - says: [{text: a}]\n    sends: [response.created]\n",
        "5:5 either 'says'"),
    "neither form": (HEAD + "turns:\n  - expect: {parts: []}\n", "5:5 either 'says'"),
    "events without an expectation": (HEAD + "turns:\n  - sends: [response.created]\n",
        "5:5 a turn with 'sends' says in 'expect' what is right", "'parts'"),
    "an expectation without parts": (
        HEAD + "turns:\n  - says: [{text: a}]\n    expect: {outcome: completed}\n",
        "6:13 'parts' is missing", "an empty list is none"),
    "several outcomes of a legal stream": (
        HEAD + "turns:\n  - says: [{text: a}]\n    expect: [{parts: []}, {parts: []}]\n",
        "6:13 only where the upstream is not legal", "conduct: deviation"),
    "an error of a completed response": (
        HEAD + "turns:\n  - says: [{text: a}]\n    expect: {parts: [], error: {message: m}}\n",
        "6:32 only with 'outcome: failed'"),
    "a checkpoint that the script has not": (
        HEAD + "turns:\n  - says: [{text: a}]\n    expect: {parts: [], at: {mid: {calls: [c]}}}\n",
        "6:30 the script has no checkpoint 'mid'"),
    "a call expected twice": (HEAD + "turns:\n  - says: [{text: a}]\n    expect:\n      parts:\n"
        + "        - call: {id: c, name: f, input: {}}\n" * 2,
        "8:9 the call 'c' is expected twice"),
    "an unknown dialect": (
        "title: Broken\ndialects: [openrespones]\nturns: [{says: [{text: a}]}]\n",
        "2:12 no dialect is called 'openrespones'", "'openresponses'"),
    "events of nobody's dialect": (
        "title: Broken\nturns:\n  - sends: [response.created]\n    expect: {parts: []}\n",
        "1:1 'sends' needs a dialect", "dialects: [openresponses]"),
    "chunks of nobody's dialect": (
        "title: Broken\nturns:\n  - sends: [delta: {content: a}]\n    expect: {parts: []}\n",
        "1:1 'sends' needs a dialect", "dialects: [chat]"),
    "a text in place of the fields of an event": (CHUNKS + "      - finish: stop\n",
        '7:17 "stop" is a string; a mapping or nothing is expected', "write finish: {reason: …}"),
    "a reason in the spelling of a script": (CHUNKS + "      - finish: {reason: tool-calls}\n",
        "7:18 finishes with 'tool-calls' is not within its specification",
        "write 'tool_calls', or say 'conduct: deviation'"),
    "keys that are merged": (SAYS + "      - {<<: {text: a}, in: 2}\n",
        "6:10 unknown key '<<'", "mappings are not merged here"),
    "an unknown item": (
        SENDS + "      - response.output_item.added: {item: {type: functionCall}}\n",
        "7:45 openresponses has no item type 'functionCall'", "did you mean 'function_call'?"),
    "an unknown event": (HEAD + "turns:\n  - sends: [response.complete]\n    expect: {parts: []}\n",
        "5:13 openresponses has no event 'response.complete'", "'response.completed'"),
    "an event of another protocol": (SENDS + "      - response.done\n",
        "7:9 openresponses has no event 'response.done'", "did you mean 'response.completed'?"),
    "a part of another dialect": (
        SENDS.replace("openresponses", "vercel-ui") + "      - tool-result: {toolCallId: a}\n",
        "7:9 vercel-ui has no 'tool-result'", "did you mean 'tool-output-available'?"),
    "an event that is only its text": (SENDS + "      - response.output_text.delta: Hello\n",
        "7:37 a mapping or nothing is expected", "write response.output_text.delta: {delta: …}"),
    "a field that stands for an event": (CHUNKS + "      - content: Hello\n",
        "7:18 a mapping or nothing is expected",
        "'content' is no event but a field: write delta: {content: …}"),
    "a misspelt field": (
        HEAD + "turns:\n  - sends:\n      - response.output_text.delta: {detla: x}\n"
        + "    expect: {parts: []}\n",
        "6:38 response.output_text.delta has no field 'detla'", "'delta'"),
    "a misspelt field of a chunk": (CHUNKS + "      - chunk: {choises: []}\n",
        "7:17 chunk has no field 'choises'", "'choices'"),
    "a misspelt field deep in a chunk": (
        CHUNKS + "      - delta: {tool_calls: [{index: 0, function: {argument: x}}]}\n",
        "7:52 delta has no field 'argument'", "'arguments'"),
    "a misspelt field of a finish": (CHUNKS + "      - finish: {reason: stop, logprob: null}\n",
        "7:32 finish has no field 'logprob'", "'logprobs'"),
    "a misspelt field that is absent": (CHUNKS + "      - chunk: {}\n        absent: [choises]\n",
        "8:18 chunk has no field 'choises'", "'choices'"),
    "a field that is given and absent": (
        CHUNKS + "      - chunk: {id: null}\n        absent: [created, id]\n",
        "8:27 'id' is given here and absent", "not both"),
    "a field that is absent from a text": (
        CHUNKS + "      - chunk: {usage: none}\n        absent: [usage.total_tokens]\n",
        "8:18 'usage' is given as a string and so has no field 'total_tokens'", "not both"),
    "absent fields of a pause": (CHUNKS + "      - pause: 1s\n        absent: [id]\n",
        "8:9 'absent' is beside 'pause'", "only an event has fields"),
    "an absent field without a name": (CHUNKS + "      - chunk: {}\n        absent: [usage..x]\n",
        "8:18 is not names of fields with a dot between them"),
    "absent fields of nothing": (CHUNKS + "      - absent: [id]\n", "7:9 has fewer keys than 2"),
    "a legal stream with an unknown event": (
        HEAD + "turns:\n  - sends:\n      - unknown: {type: ping}\n    expect: {parts: []}\n",
        "6:9 'ping' is not within its specification", "acme:event"),
    "an item whose id is its call's": (
        HEAD + "turns:\n  - sends:\n      - response.output_item.added: "
        + "{item: {type: function_call, id: c, call_id: c, name: f}}\n    expect: {parts: []}\n",
        "6:73 the item's id and its call_id are both 'c'", "they always differ"),
    "an item of the final response whose id is its call's": (
        SENDS + "      - response.completed: {response: {output: [{}, {id: c, call_id: c}]}}\n",
        "7:62 the item's id and its call_id are both 'c'", "they always differ"),
    "an unknown key deep inside": (SAYS + "      - call: {id: i, name: f, inputs: {}}\n",
        "6:32 unknown key 'inputs'", "'input'"),
    "a key without a likeness": (HEAD + "turns:\n  - zzz: 1\n    says: [{text: a}]\n",
        "5:5 unknown key 'zzz'",
        "known here: attempts, body, cancel, expect, headers, says, sends, status"),
    "a string for a list": ("title: Broken\nsource: x\nturns: [{says: [{text: a}]}]\n",
        '2:9 "x" is a string; a list is expected (at source)'),
    "a truth for a string": (SAYS + "      - text: true\n",
        "6:15 true is true or false; a string is expected", "quote it"),
    "null for a string": (SAYS + "      - text:\n", "6:14 null is nothing; a string is expected"),
    "a title that is too long": (f"title: {'x' * 121}\nturns: [{{says: [{{text: a}}]}}]\n",
        "1:8 x… has more characters than 120 (at title)"),
    "no step at all": (HEAD + "turns: [{says: []}]\n", "4:16 [] is empty (at turns.says)"),
    "a fraction for a number of deltas": (SAYS + "      - text: abc\n        in: 1.5\n",
        "7:13 1.5 is a number; a whole number is expected"),
    "no delta at all": (SAYS + "      - text: abc\n        in: 0\n", "7:13 0 is less than 1"),
    "three things in one step": (SAYS + "      - text: a\n        end: b\n        raw: c\n",
        "6:9 a step does one thing; this one has text, end, raw", "a dash of its own"),
    "a text that is cut short after a tool": (SAYS.replace("source:", "profile: openai\nsource:")
        + "      - start: {text: t}\n      - web_search: {query: a}\n      - incomplete: length\n",
        "9:9 the block 't' is cut short here, and the item of web_search began after it",
        "add '- end: t' before the item of web_search begins"),
    "a phase of reasoning": (SAYS + "      - reasoning: a\n        phase: commentary\n",
        "6:9 'phase' is that of a text; 'reasoning' has none"),
    "a phase of a refusal": (SAYS + "      - start: {refusal: r, phase: commentary}\n",
        "6:9 only a text has a phase; this block is refusal"),
    "a tool of OpenAI's without its profile": (SAYS + "      - web_search: {query: a}\n",
        "5:5 an upstream that uses OpenAI's own tools is not within its specification",
        "say 'profile: openai', by which it is legal"),
    "a misspelt field of a tool": (SAYS + "      - code_interpreter: {code: a, contaner: b}\n",
        "6:37 unknown key 'contaner'", "did you mean 'container'?"),
    "a patch of two files": (
        SAYS + "      - apply_patch: {id: a, create: a.py, update: b.py, diff: c}\n",
        "6:9 a patch is of one file, which it creates, updates or deletes"),
    "a diff of a file that is deleted": (
        SAYS + "      - apply_patch: {id: a, delete: b.py, diff: c}\n",
        "6:9 a file that is deleted has no 'diff'"),
    "output of the host's shell": (SAYS + "      - shell: {id: a, commands: [ls], outputs: [{}]}\n",
        "6:9 the host runs these commands, so their 'outputs' are not the upstream's"),
    "a patch without a diff": (SAYS + "      - apply_patch: {id: a, create: b.py}\n",
        "6:9 a patch has a 'diff'"),
    "a search of nothing": (SAYS + "      - web_search: {id: a}\n",
        "6:9 a search of the web has a 'query', a page to 'open', or text to 'find' in it"),
    "an image that is cut in deltas": (
        SAYS + "      - image_generation: {result: QUJD}\n        in: 2\n",
        "6:9 'in' cuts a value in deltas; 'image_generation' has none to cut"),
    "two inputs of a tool": (
        SAYS + "      - mcp_call: {server: a, name: b, input: {}, arguments: c}\n",
        "6:9 'mcp_call' has an 'input' or 'arguments', not both"),
    "the id of a tool's call twice": (SAYS + "      - local_shell: {id: a, command: [ls]}\n"
        "      - custom_call: {id: a, name: b, input: c}\n", "7:9 the call id 'a' is used twice"),
    "two events in one step": (SENDS + "      - response.created:\n        response.in_progress:\n",
        "7:9 has more keys than 1"),
    "a block with an invalid name": (SAYS + "      - start: {text: t}\n      - delta: {1t: x}\n",
        '7:17 "1t" is not text like'),
    "a block whose name has a line break": (SAYS + '      - start: {text: "t\\n"}\n',
        '6:23 "t\\n" is not text like'),
    "a duration with a line break": (SAYS + '      - pause: "20ms\\n"\n',
        "6:16 is not such as 20ms or 1.5s"),
    "a comment with a line break": (SENDS + '      - comment: "a\\n"\n',
        '7:18 "a\\n" is not text like'),
    "the same source twice": ("title: Broken\nsource: [x, y, x]\nturns: [{says: [{text: a}]}]\n",
        "2:9 the same thing is twice"),
    "two blocks in one start": (SAYS + "      - start: {text: t, reasoning: r}\n",
        "6:9 'start' opens one block"),
    "a call without a name": (SAYS + "      - start: {call: c, id: i}\n",
        "6:9 a call starts with an 'id' and a 'name'"),
    "a text with an id": (SAYS + "      - start: {text: t, id: i}\n",
        "6:9 only a call has an id and a name; this block is text"),
    "a call id used twice, once in a block": (OPEN + "      - call: {id: i, name: f}\n",
        "8:9 the call id 'i' is used twice"),
    "an end of no block": (SAYS + "      - end: t\n",
        "6:9 no block 't' is open", "such as start: {text: t}"),
    "an end after the end": (SAYS + "      - start: {text: t}\n      - end: t\n      - end: t\n",
        "8:9 the block 't' has ended before"),
    "a block that stays open without an ending": (
        SAYS + "      - start: {text: t}\n      - delta: {t: x}\n",
        "7:9 the block 't' (started at line 6) is still open at the end",
        "'incomplete', 'failed', 'error' or 'close'"),
    "a cut of an end": (OPEN + "      - end: t\n        in: 2\n", "8:9 'end' has none to cut"),
    "a checkpoint after a call's arguments": (
        OPEN + '      - delta: {c: "{}"}\n      - checkpoint: here\n',
        "9:9 does not stand right after a text delta", "there must be text to wait for"),
    "a checkpoint after a complete text": (SAYS + "      - text: x\n      - checkpoint: here\n",
        "7:9 does not stand right after a text delta", "there must be text to wait for"),
    "a checkpoint after a pause": (
        OPEN + "      - delta: {t: x}\n      - pause: 1ms\n      - checkpoint: here\n",
        "10:9 does not stand right after a text delta", "there must be text to wait for"),
    "a checkpoint twice": (OPEN + "      - delta: {t: x}\n      - checkpoint: here\n" * 2,
        "11:9 the checkpoint 'here' is here twice"),
    "a checkpoint among events, after no text": (
        SENDS + "      - response.output_text.done\n      - checkpoint: here\n",
        "8:9 does not stand right after a text delta", "there must be text to wait for"),
    "a checkpoint twice among events": (
        SENDS + "      - response.output_text.delta\n      - checkpoint: here\n" * 2,
        "10:9 the checkpoint 'here' is here twice"),
    "a checkpoint nearly called so": (
        OPEN + "      - delta: {t: x}\n      - checkpoint: middle\n      - close: cut\n"
        "    expect: {parts: [], outcome: failed, at: {midle: {without: [i]}}}\n",
        "11:47 the script has no checkpoint 'midle'", "'middle'"),
    "an event after the close": (SENDS + "      - close: reset\n      - response.created\n",
        "8:9 nothing can follow the step that closes the stream"),
    "a second ending": (SAYS + "      - incomplete: length\n      - finish: stop\n",
        "7:9 'finish' is after the step that ends the response"),
    "two open blocks where the answer is cut off": (OPEN + "      - incomplete: length\n",
        "8:9 the block 't' is cut short here, and the block 'c' began after it", "add '- end: t'"),
    "a block that is cut off after another one": (
        OPEN + "      - end: c\n      - incomplete: {other: steered}\n",
        "9:9 only the last may be incomplete", "written with 'sends'"),
    "a step without a value that is none": (SAYS + "      - queue\n",
        '6:9 "queue" is not one of queued'),
    "a queue after the first text": (SAYS + "      - text: x\n      - queued\n",
        "7:9 'queued' comes before everything that the model says"),
    "a text that is raw": (SAYS + "      - start: {text: t, as: raw}\n",
        "6:9 only reasoning has a form or is encrypted; this block is text"),
    "a text in parts": (OPEN + "      - part: t\n",
        "8:9 only reasoning has parts; the block 't' is text"),
    "reasoning in a form that there is not": (SAYS + "      - reasoning: {text: x, as: sumary}\n",
        '6:34 "sumary" is not one of summary, raw', "'summary'"),
    "another reason without a word for it": (SAYS
        + "      - incomplete: {other: steered, othr: x}\n", "6:38 unknown key 'othr'", "'other'"),
    "another spelling in a legal stream": (
        SENDS + "      - response.reasoning_text.delta: {delta: x}\n",
        "7:9 sends 'response.reasoning_text.delta' is not within its specification",
        "conduct: deviation"),
    "an event of OpenAI's": (SENDS + "      - response.audio.delta: {delta: x}\n",
        "7:9 an upstream that sends 'response.audio.delta' is not within its specification",
        "say 'profile: openai', by which it is legal"),
    "a known event as an unknown one": (SENDS + "      - unknown: {type: response.completed}\n",
        "7:9 openresponses has the event 'response.completed'", "write it as it is"),
    "an event whose type has a line break": (SENDS + '      - unknown: {type: "acme:x\\n"}\n',
        "7:9 has a line break", "raw:"),
    "an unknown event without a type": (SENDS + "      - unknown: {delta: x}\n",
        "7:18 the key 'type' is missing here"),
    "a part that nobody expects so": (SAYS + "      - text: x\n    expect: {parts: [{texts: x}]}\n",
        "7:23 unknown key 'texts'", "'text'"),
    "several outcomes of which one lacks its parts": ("conduct: deviation\n"
        + SAYS + "      - text: x\n" "    expect:\n      - parts: []\n      - outcome: failed\n",
        "10:9 'parts' is missing", "an empty list is none"),
}  # fmt: skip


@pytest.mark.parametrize("row", BROKEN.values(), ids=BROKEN)
def test_a_broken_file_is_reported_at_its_place(row: tuple[str, ...]) -> None:
    text, expected, *hint = row
    place, _, message = expected.partition(" ")
    with pytest.raises(ScenarioError) as raised:
        load(dedent(text).encode(), "broken.yaml", "mine/broken")
    problem = raised.value.problems[0]
    assert str(problem.place) == f"broken.yaml:{place}"
    assert message in problem.message
    assert hint[0] in problem.hint if hint else problem.hint == ""


def test_every_problem_is_reported_once_and_in_the_order_of_the_file() -> None:
    steps = "".join(f"      - tex: {n}\n" for n in range(12))
    text = f"turns:\n  - say: []\n    says:\n{steps}abot: x\n"
    with pytest.raises(ScenarioError) as raised:
        load(text.encode(), "broken.yaml", "mine/broken")
    assert [(str(problem.place), problem.message) for problem in raised.value.problems] == [
        ("broken.yaml:1:1", "the key 'title' is missing here"),
        ("broken.yaml:2:5", "unknown key 'say'"),
        *((f"broken.yaml:{n + 4}:9", "unknown key 'tex'") for n in range(12)),
        ("broken.yaml:16:1", "unknown key 'abot'"),
    ]


def test_two_missing_keys_are_two_problems() -> None:
    with pytest.raises(ScenarioError) as raised:
        load(b"about: x", "broken.yaml", "mine/broken")
    assert sorted(problem.message for problem in raised.value.problems) == [
        "the key 'title' is missing here",
        "the key 'turns' is missing here",
    ]


def test_at_most_fifty_problems_of_a_file_are_reported() -> None:
    text = "title: Broken\n" + "".join(f"key{n}: x\n" for n in range(1000))
    with pytest.raises(ScenarioError) as raised:
        load(text.encode(), "broken.yaml", "mine/broken")
    unknown = [p for p in raised.value.problems if p.message.startswith("unknown key")]
    assert len(unknown) == 50


NEARLY_BROKEN = {
    "a block called as a shorthand's might be": (
        SAYS + "      - start: {text: text-1}\n      - end: text-1\n      - text: x\n"
    ),
    "a number of deltas written as 3.0": SAYS + "      - {text: abc, in: 3.0}\n",
    "more deltas than characters": SAYS + "      - {text: abc, in: 10000}\n",
    "a comment, a pause and bytes after the ending": (
        SAYS + "      - finish: stop\n      - comment: x\n      - pause: 1ms\n      - raw: x\n"
    ),
    "the last block stays open where the answer is cut off": (
        SAYS + "      - text: x\n      - start: {reasoning: r}\n      - incomplete: length\n"
    ),
    "a block that stays open under a failure": OPEN + "      - failed: {message: m}\n",
    "a block that stays open under a cut": OPEN + "      - close: cut\n",
    "a checkpoint after one of many deltas": (
        OPEN + "      - {delta: {t: xyz}, in: 3}\n      - checkpoint: here\n      - close: cut\n"
    ),
    "a vendor's event in a legal stream": SENDS + "      - acme:trace: {a: 1}\n",
    "a vendor's event as an unknown one": SENDS + "      - unknown: {type: acme:trace}\n",
    "another spelling in a stream that deviates": (
        "conduct: deviation\n" + SENDS + "      - response.reasoning_summary.done\n"
    ),
    "an unknown event on purpose": (
        "conduct: violation\n" + SENDS + "      - unknown: {type: response.audio.done}\n"
    ),
    "several outcomes of a violation": (
        "conduct: violation\n" + SAYS + "      - text: x\n"
        "    expect: [{parts: []}, {parts: [], outcome: failed, error: {code: c}}]\n"
    ),
    "events after the ending": (SENDS + "      - response.completed\n      - response.completed\n"),
}


@pytest.mark.parametrize("text", NEARLY_BROKEN.values(), ids=NEARLY_BROKEN)
def test_an_unusual_valid_file_is_played(text: str) -> None:
    assert load(text.encode(), "whole.yaml", "mine/whole").title == "Broken"


@pytest.mark.parametrize("id_", ["mine/chat/broken", "broken"], ids=["too high up", "too deep"])
def test_a_folder_of_scenarios_that_is_named_at_the_wrong_height_is_explained(id_: str) -> None:
    text = "title: Broken\nturns:\n  - sends: [delta: {content: a}]\n    expect: {parts: []}\n"
    with pytest.raises(ScenarioError) as raised:
        load(text.encode(), "mine/chat/broken.yaml", id_)
    (problem,) = raised.value.problems
    assert problem.hint == (
        "ids begin in the folder that is named: name the one that 'chat' is in, or add "
        "'dialects: [chat]'"
    )
