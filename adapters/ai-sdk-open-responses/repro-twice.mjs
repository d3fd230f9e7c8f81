/** Prints the content of streamText() and of generateText() with @ai-sdk/open-responses: `node repro-twice.mjs BASE_URL`. */
import { createOpenResponses } from "@ai-sdk/open-responses";
import { generateText, jsonSchema, streamText, tool } from "ai";
import { readFileSync } from "node:fs";
const file = new URL("requests.json", import.meta.url);
const model = createOpenResponses({ name: "upstream", url: `${process.argv[2]}/responses` })("mock");
const [{ body }] = JSON.parse(readFileSync(file, "utf-8"));
const named = (body.tools ?? []).map(({ name, parameters }) => [name, tool({ inputSchema: jsonSchema(parameters) })]);
const asked = { model, prompt: "Hello", tools: Object.fromEntries(named), maxRetries: 0 };
for (const ask of [streamText, generateText]) {
  const { content, reasoningText, text } = await ask(asked);
  for (const part of await content) console.log(`${ask.name}:`, JSON.stringify(part));
  console.log(`${ask.name} reasoningText:`, await reasoningText);
  console.log(`${ask.name} text:`, await text);
}
