import { after, test } from "node:test";

import { mock } from "streamproof/test";

import { parts } from "./adapter.mjs";

const server = await mock({ traits: { refusal: "text" } });
after(() => server.stop());

test("a refusal is shown", async () => {
  const run = await server.run("any/refusal@chat");
  await run.check(parts(run.baseUrl));
});

test("a call is emitted", async () => {
  const run = await server.run("any/text-and-call-interleave@chat");
  await run.check(parts(run.baseUrl));
});
