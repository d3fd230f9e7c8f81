/** What tests of others do with `streamproof/test`; the server is the one at STREAMPROOF_URL. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

import { connect, Fault, mock } from "streamproof/test";

const TEXT = [{ type: "text", value: "I'm sorry, I cannot help with that." }];
const REFUSAL = { refusal: "text" };

let m;
before(async () => {
  m = await mock({ traits: REFUSAL });
});
after(() => m.stop());

/** Sends a chat completion's request and returns the text parts of the answer. */
async function parts(baseUrl, { message = "Hello", tool, model = "mock" } = {}) {
  const tools = [{ type: "function", function: { name: tool, parameters: { type: "object" } } }];
  const messages = [{ role: "user", content: message }];
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: "Bearer sk-secret" },
    body: JSON.stringify({ model, stream: true, messages, ...(tool && { tools }) }),
  });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  const found = [];
  for (const line of (await response.text()).split(/\r?\n/)) {
    if (!line.startsWith("data: {")) continue;
    for (const { delta } of JSON.parse(line.slice(6)).choices) {
      const value = delta.content || delta.refusal;
      if (value) found.push({ type: "text", value });
    }
  }
  return found;
}

/** Asks for a response that fails in the middle of its text. */
async function failing() {
  const run = await m.run("openresponses/failed-after-text");
  const response = await fetch(`${run.baseUrl}/responses`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ model: "mock", input: "Hello", stream: true }),
  });
  await response.text();
  return run;
}

/** The rules of level must that a verdict says are broken. */
function broken({ findings }) {
  return findings.filter(({ level }) => level === "must").map(({ rule }) => rule);
}

test("a run gives its verdict and what it received", async () => {
  const run = await m.run("any/refusal@chat", { vary: "crlf" });
  const verdict = await run.verdict(await parts(run.baseUrl));
  const [request, ...others] = await run.requests();
  assert.deepEqual([verdict.passed, verdict.status, verdict.rules], [true, "passed", []]);
  assert.equal(verdict.case, "any/refusal@chat+crlf");
  assert.deepEqual(run.verdicts, [verdict]);
  assert.deepEqual(others, []);
  assert.deepEqual(request.body.messages, [{ role: "user", content: "Hello" }]);
  assert.equal(request.headers.authorization, "Bearer [redacted]");
  assert.deepEqual([request.case, request.turn, request.left], ["any/refusal@chat+crlf", 0, null]);
  assert.equal(request.events.at(-1).type, "[DONE]");
});

test("a run is named by its model where the base URL is that of the server", async () => {
  const run = await m.run("any/refusal@chat");
  await run.check(await parts(m.baseUrl, { model: run.model }));
});

test("a failed check is an AssertionError that shows the timeline", async () => {
  const run = await m.run("any/refusal@chat");
  await parts(run.baseUrl);
  await assert.rejects(run.check([{ type: "text", value: "No." }]), (error) => {
    assert.ok(error instanceof assert.AssertionError);
    assert.match(error.message, /^any\/refusal@chat: failed\n\nthe upstream sent/);
    assert.match(error.message, /the adapter emitted/);
    assert.match(error.message, /✗ text-exact \(must\)/);
    return true;
  });
  const [{ findings }] = run.verdicts;
  const [{ rule, turn, explains }] = findings;
  assert.deepEqual([rule, turn, explains], ["text-exact", 0, []]);
});

const ENDINGS = [
  [{}, ["end-honest"]],
  [{ error: "The model failed" }, []],
  [{ error: new TypeError("The model failed") }, []],
  [{ error: { kind: "upstream", message: "The model failed" } }, []],
  [{ outcome: "failed" }, []],
  [{ outcome: "hung" }, ["end-once"]],
];

for (const [ending, rules] of ENDINGS) {
  test(`an ending ${JSON.stringify(ending)} breaks ${rules.join() || "no rule"}`, async () => {
    const run = await failing();
    const emitted = [{ type: "text", value: "The capital of France is" }];
    assert.deepEqual(broken(await run.verdict(emitted, ending)), rules);
  });
}

test("what an async iterable throws is the error of the run", async () => {
  async function* stream() {
    yield { type: "text", value: "The capital of France is" };
    throw new RangeError("The model failed");
  }
  const run = await failing();
  const verdict = await run.verdict(stream());
  assert.deepEqual(broken(verdict), []);
  assert.match(verdict.timeline, /The model failed/);
  await assert.rejects((await refusal()).check(stream()), (error) => {
    return error.cause instanceof RangeError;
  });
});

test("what the test itself asserts is thrown", async () => {
  function* mistaken() {
    assert.equal(1, 2);
  }
  await assert.rejects((await m.run("any/refusal")).verdict(mistaken()), assert.AssertionError);
});

test("a run that the test cancels ends as cancelled, also by an AbortError", async () => {
  const run = await m.run({ says: [{ text: "Let me " }, { pause: "9s" }, { text: "see." }] });
  const cancel = new AbortController();
  const messages = [{ role: "user", content: "Hello" }];
  const answered = await fetch(`${run.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ model: "mock", stream: true, messages }),
    signal: cancel.signal,
  });
  async function* stream() {
    for await (const bytes of answered.body) {
      if (!Buffer.from(bytes).includes("Let me")) continue;
      yield "Let me ";
      cancel.abort();
    }
  }
  await run.check(stream(), { cancelled: 1 });
  assert.equal(run.verdicts[0].error.name, "AbortError");
});

test("a text is a part, and parts may be promised", async () => {
  const run = await refusal();
  const given = (await parts(run.baseUrl)).map(({ value }) => value);
  for (const each of [given, given.join(""), Promise.resolve(given)]) await run.check(each);
  const rejected = await run.verdict(Promise.reject(new RangeError("No route to host")));
  assert.ok(rejected.error instanceof RangeError);
  assert.match(rejected.timeline, /failed: No route to host/);
});

class Generated {
  mediaType = "text/plain";
  uint8Array = null;

  get base64() {
    return "YQ==";
  }
}

test("an error, bytes and a generated file in a part are data", async () => {
  const run = await failing();
  const text = [
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", text: "The capital of France is" },
    { type: "file", file: new Generated() },
    { type: "raw", rawValue: new Uint8Array([1, 2, 3]) },
    { type: "error", error: Object.assign(new Error("The model failed"), { statusCode: 500 }) },
  ];
  const how = { vocabulary: "fullstream", traits: { errors: "part" } };
  const { timeline } = await run.verdict(text, how);
  const shown = ["YQ==", "AQID", "The model failed"].filter((data) => timeline.includes(data));
  assert.equal(shown.length, 3, timeline);
});

const MANY = [
  { case: "any/status-500-html", when: { message: "bomb" } },
  { case: "any/annex", when: { tool: "get_weather", model: "gpt-*" } },
  "any/refusal",
];

test("a request gets the first case whose condition holds", async () => {
  const run = await m.run(MANY);
  await parts(run.baseUrl, { tool: "get_weather" });
  await parts(run.baseUrl, { tool: "get_weather", model: "gpt-9" });
  const cases = (await run.requests()).map((request) => request.case);
  assert.deepEqual(cases, ["any/refusal@chat", "any/annex@chat"]);
});

const GREETS = { title: "Greets Ann", says: [{ text: "Hello " }, { text: "Ann" }] };

test("a scenario of its own is an object or a file", async () => {
  const run = await m.run({ case: GREETS, when: { message: "Ann" } }, { vary: "crlf" });
  const verdict = await run.verdict(await parts(run.baseUrl, { message: "I am Ann" }));
  assert.deepEqual([verdict.case, verdict.passed], ["greets-ann@chat+crlf", true]);
  const folder = mkdtempSync(join(tmpdir(), "own-"));
  const file = join(folder, "Greeting.yaml");
  writeFileSync(file, "title: A greeting\nturns:\n  - says:\n      - text: Hello\n");
  for (const wanted of [file, pathToFileURL(file), GREETS]) {
    const own = await m.run(wanted);
    await own.check(await parts(own.baseUrl));
  }
  rmSync(folder, { recursive: true });
});

test("the default run has the base URL of the server", async () => {
  const run = await m.run(GREETS, { default: true });
  assert.equal(run.baseUrl, m.baseUrl);
  await run.check(await parts(m.baseUrl));
  await assert.rejects(m.run("any/refusal", { default: true }), /is the default run/);
  await run.close();
});

test("a run has one request, or says what came", async () => {
  const run = await m.run("any/refusal@chat");
  await assert.rejects(run.request(), /one request was expected, and none came to http.*v1$/);
  await parts(run.baseUrl);
  assert.equal((await run.request()).body.model, "mock");
  await parts(run.baseUrl);
  await assert.rejects(run.request(), /and 2 came\n {2}POST \/r\/.*: 200/);
});

test("a closed run answers no more", async () => {
  const run = await m.run("any/refusal@chat");
  await run[Symbol.asyncDispose]();
  await run.close();
  await assert.rejects(parts(run.baseUrl), /404/);
});

test("the environment leads SDKs to a run", async () => {
  const run = await m.run("any/refusal");
  assert.equal(m.environ(run).OPENAI_BASE_URL, run.baseUrl);
  assert.equal(m.environ().OPENAI_BASE_URL, m.baseUrl);
});

const refusal = () => m.run("any/refusal");
const judging = async (how) => (await connect(m.url, how)).run("any/refusal");
const FAULTS = [
  [() => m.run("any/refusals"), /is called 'any\/refusals'\n.*any\/refusal/s, "the request"],
  [() => m.run("any/refusal+crfl"), /no variation is called 'crfl'\n.*crlf/s, "the command"],
  [() => m.run([]), /a run plays a case: none is named\n/, "the command"],
  [() => m.run(7), /a case is an id, the file of a scenario, a scenario or/, "the command"],
  [() => m.run({ id: "any/refusal" }), /scenario\.id: unknown key 'id'/, "the scenario"],
  [() => m.run({ case: "any/refusal", if: {} }), /a case has no option 'if'\n/, "the command"],
  [() => m.run("any/refusal", { varies: "crlf" }), /has no option 'varies'\n/, "the command"],
  [() => m.run("nowhere.yaml"), /nowhere\.yaml cannot be read: ENOENT/, "the command"],
  [() => mock({ trait: {} }), /mock has no option 'trait'\n/, "the command"],
  [async () => (await refusal()).check([], { trait: {} }), /no option 'trait'/, "the command"],
  [async () => (await refusal()).verdict([test]), /and a function is none/, "the command"],
  [async () => (await refusal()).verdict({}), /an array, an iterable, an async it/, "the command"],
  [async () => (await refusal()).check([], { outcome: "ended" }), /hung: "ended"$/, "the command"],
  [async () => (await refusal()).check([], { cancelled: true }), /parts .*, not true\n/, "the command"],
  [async () => (await refusal()).check([], { finish: "tool_calls" }), /'tool-calls'/, "the command"],
  [() => judging({ traits: { refusl: "text" } }), /'refusl'\n.*'refusal'/s, "the command"],
  [() => judging({ vocabulary: "vs-code" }), /is called 'vs-code'\n.*'vscode'/s, "the command"],
  [() => connect("127.0.0.1:4100"), /is not the URL of a mock server\n/, "the command"],
  [() => connect("http://127.0.0.1:9"), /is it running there\?/, "the command"],
];

for (const [does, message, culprit] of FAULTS) {
  test(`it is explained: ${message}`, async () => {
    await assert.rejects(does, (fault) => {
      assert.ok(fault instanceof Fault, fault.stack);
      assert.match(fault.message, message);
      assert.equal(fault.culprit, culprit);
      return true;
    });
  });
}

test("tests in CommonJS get the same", () => {
  assert.equal(createRequire(import.meta.url)("streamproof/test").mock, mock);
});
