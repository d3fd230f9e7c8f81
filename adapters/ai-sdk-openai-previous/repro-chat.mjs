/** Prints the parts of streamText() with the chat model of @ai-sdk/openai: `node repro.mjs BASE_URL`. */

import { readFileSync } from "node:fs";

import { createOpenAI } from "@ai-sdk/openai";
import { jsonSchema, streamText, tool } from "ai";

const file = new URL("requests.json", import.meta.url);
const model = createOpenAI({ baseURL: process.argv[2], apiKey: "none" }).chat("mock");
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
