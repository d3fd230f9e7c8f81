/** Prints the parts of streamText() with @ai-sdk/openai-compatible: `node repro.mjs BASE_URL`. */

import { readFileSync } from "node:fs";

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { jsonSchema, streamText, tool } from "ai";

const file = new URL("requests.json", import.meta.url);
const upstream = { name: "upstream", baseURL: process.argv[2], includeUsage: true };
const model = createOpenAICompatible(upstream)("mock");
for (const { max_retries: maxRetries, body } of JSON.parse(readFileSync(file, "utf-8"))) {
  const offered = (body.tools ?? []).filter((each) => each.function);
  const known = offered.map(({ function: { name, description, parameters } }) => [
    name,
    tool({ description, inputSchema: jsonSchema(parameters) }),
  ]);
  const tools = Object.fromEntries(known);
  const result = streamText({ model, prompt: "Hello", tools, maxRetries, onError() {} });
  for await (const part of result.fullStream) {
    const said = part.error ? { ...part, error: String(part.error) } : part;
    console.log(JSON.stringify(said));
  }
}
