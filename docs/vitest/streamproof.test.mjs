import { mock } from "streamproof/test";
import { afterAll, beforeAll, test } from "vitest";
import { adapter } from "./adapter.mjs";

const CASES = [
  "any/text-and-call-interleave",
  "any/escapes-cut-in-two",
  "any/cut-inside-text",
  "openresponses/failed-after-text",
];

let server;
beforeAll(async () => {
  server = await mock();
});
afterAll(() => server.stop());

test.each(CASES)("%s", async (id) => {
  const run = await server.run(id);
  const parts = [];
  const ending = await adapter(run, (part) => parts.push(part));
  await run.check(parts, ending);
});
