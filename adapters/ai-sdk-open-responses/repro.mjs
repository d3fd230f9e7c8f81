/** Prints the parts of streamText() with @ai-sdk/open-responses: `node repro.mjs BASE_URL`. */

import { readFileSync } from "node:fs";

import { createOpenResponses } from "@ai-sdk/open-responses";
import { jsonSchema, streamText, tool } from "ai";

const file = new URL("requests.json", import.meta.url);
const url = `${process.argv[2]}/responses`;
const model = createOpenResponses({ name: "upstream", url })("mock");
for (const { max_retries: maxRetries, body } of JSON.parse(readFileSync(file, "utf-8"))) {
  const offered = (body.tools ?? []).filter(({ type }) => type === "function");
  const known = offered.map(({ name, description, parameters }) => [
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
