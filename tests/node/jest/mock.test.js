const { connect, mock } = require("streamproof/test");

const FAILURE = { type: "error", error: new Error("The model failed") };

let server;
beforeAll(async () => {
  server = await mock({ traits: { refusal: "text" } });
}, 60_000);
afterAll(() => server.stop());

async function asked(run) {
  const messages = [{ role: "user", content: "Hello" }];
  const response = await fetch(`${run.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ model: "mock", stream: true, messages }),
  });
  await response.text();
}

test("a verdict passes", async () => {
  const run = await server.run("any/refusal@chat");
  await asked(run);
  await run.check([{ type: "text", value: "I'm sorry, I cannot help with that." }]);
});

test("a failing check shows the timeline", async () => {
  const run = await server.run("any/refusal@chat");
  await asked(run);
  await run.check([{ type: "text", value: "No." }]);
});

test("errors and bytes are data, and fake timers change nothing", async () => {
  jest.useFakeTimers();
  const run = await (await connect(server.url)).run("any/refusal@chat");
  const parts = [FAILURE, { type: "raw", rawValue: new Uint8Array([1, 2, 3]) }];
  const { timeline } = await run.verdict(parts, { vocabulary: "fullstream" });
  expect(timeline).toMatch(/The model failed/);
  expect(timeline).toMatch(/AQID/);
});
