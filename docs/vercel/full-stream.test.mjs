import { after, test } from "node:test";

import { createGateway } from "@ai-sdk/gateway";
import { streamText } from "ai";
import { mock } from "streamproof/test";

const server = await mock({ vocabulary: "fullstream", traits: { errors: "part" } });
after(() => server.stop());

for (const id of ["any/thinking-after-text", "any/cut-inside-text", "any/status-500-html"]) {
  test(id, async () => {
    const run = await server.run(id);
    const gateway = createGateway({ baseURL: run.baseUrl, apiKey: "any" });
    const model = gateway("mock");
    const { fullStream } = streamText({ model, prompt: "Hello", maxRetries: 0, onError() {} });
    await run.check(fullStream);
  });
}
