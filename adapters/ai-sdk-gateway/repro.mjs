/** Prints the parts of the AI SDK's streamText() with @ai-sdk/gateway: `node repro.mjs BASE_URL`. */

import { readFileSync } from "node:fs";

import { createGateway } from "@ai-sdk/gateway";
import { jsonSchema, streamText, tool } from "ai";

const file = new URL("requests.json", import.meta.url);
const model = createGateway({ baseURL: process.argv[2], apiKey: "none" })("mock");
for (const { max_retries: maxRetries, body } of JSON.parse(readFileSync(file, "utf-8"))) {
  const offered = (body.tools ?? []).filter(({ type }) => type === "function");
  const known = offered.map(({ name, description, inputSchema }) => [
    name,
    tool({ description, inputSchema: jsonSchema(inputSchema) }),
  ]);
  const tools = Object.fromEntries(known);
  const result = streamText({ model, prompt: "Hello", tools, maxRetries, onError() {} });
  for await (const part of result.stream ?? result.fullStream) {
    const said = part.error ? { ...part, error: String(part.error) } : part;
    console.log(JSON.stringify(said));
  }
}
