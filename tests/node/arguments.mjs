// Every vector of the file named, read in Node: by the reader, and by `read` in a call's part.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { doubles, readArguments, usable } from "../../node/lib/arguments.js";
import { read } from "../../node/reading.js";

const { kinds, pairs } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const DONE = { type: "done", outcome: "completed", finish: "stop" };

const called = {
  stream: (input) => ({ type: "tool-call", toolCallId: "call_1", toolName: "f", input }),
  copilot: (input) => ({
    type: "delta",
    index: 0,
    delta: { text: "", copilotToolCalls: [{ id: "call_1", name: "f", arguments: input }] },
  }),
};

for (const { name, given, kind, value } of kinds) {
  test(`the kind: ${name}`, () => {
    const found = readArguments(given);
    assert.equal(found.kind, kind);
    if (kind === "object") assert.deepEqual(doubles(found.value), doubles(value));
  });

  for (const [vocabulary, part] of Object.entries(called)) {
    test(`a part of ${vocabulary}: ${name}`, () => {
      const found = read([part(given)], DONE, vocabulary);
      const inputs = { blank: {}, object: value, "beyond comparison": given };
      if (Object.hasOwn(inputs, kind)) {
        assert.deepEqual(found.calls, [
          { id: "call_1", name: "f", input: doubles(inputs[kind]), after: 0 },
        ]);
      } else {
        assert.deepEqual(found.calls, []);
        assert.equal(found.error.kind, "decode");
      }
    });
  }
}

for (const { name, one, other, same } of pairs) {
  test(`the same: ${name}`, () => {
    const [a, b] = [one, other].map((given) => doubles(readArguments(given).value));
    (same ? assert.deepEqual : assert.notDeepEqual)(a, b);
  });
}

test("a value that holds itself is read", () => {
  const endless = {};
  endless.inside = endless;
  assert.ok(usable(readArguments(endless)));
  const part = { type: "toolCall", callId: "call_1", name: "f", input: endless };
  assert.equal(read([part], DONE).calls[0].input, endless);
});
