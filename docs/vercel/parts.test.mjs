import { after, test } from "node:test";

import { mock } from "streamproof/test";

const server = await mock();
after(() => server.stop());

/** The parts of the dialect `vercel-fullstream`, as `streamText()` would yield them. */
async function* fullStream(baseUrl) {
  const headers = { "Content-Type": "application/json" };
  const messages = [{ role: "user", content: "Hello" }];
  const body = JSON.stringify({ model: "mock", messages });
  const response = await fetch(`${baseUrl}/full-stream`, { method: "POST", headers, body });
  let rest = "";
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop();
    for (const line of lines) if (line.startsWith("data: {")) yield JSON.parse(line.slice(6));
  }
}

/** The code under test: what the application makes of a `fullStream`. */
async function* shown(parts) {
  for await (const { type, text, textDelta } of parts) {
    if (type === "text-delta") yield { type: "text", value: text ?? textDelta };
    if (type === "reasoning-delta") yield { type: "thinking", value: text };
    if (type === "reasoning") yield { type: "thinking", value: textDelta };
  }
}

for (const generation of ["v4", "v5", "v7"]) {
  test(`parts of ${generation}`, async () => {
    const run = await server.run("any/thinking-after-text@vercel-fullstream", { vary: generation });
    await run.check(shown(fullStream(run.baseUrl)));
  });
}
