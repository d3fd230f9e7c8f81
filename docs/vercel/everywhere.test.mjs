import assert from "node:assert/strict";
import { after, test } from "node:test";

import { createGateway } from "@ai-sdk/gateway";
import { generateText } from "ai";
import { mock } from "streamproof/test";

const server = await mock({ traits: { refusal: "text" } });
after(() => server.stop());

test("a model that is named by a string", async () => {
  const run = await server.run("any/refusal");
  globalThis.AI_SDK_DEFAULT_PROVIDER = createGateway({ baseURL: run.baseUrl, apiKey: "any" });
  const { text } = await generateText({ model: "openai/gpt-5", prompt: "Hello" });
  await run.check(text);
  const [request] = await run.requests();
  assert.equal(request.headers["ai-language-model-id"], "openai/gpt-5");
});
