/** Prints the content of streamText() and of generateText() with @ai-sdk/openai: `node repro-twice.mjs BASE_URL`. */
import { readFileSync } from "node:fs";
import { createOpenAI, openai } from "@ai-sdk/openai";
import { generateText, streamText } from "ai";
const file = new URL("requests.json", import.meta.url);
const model = createOpenAI({ baseURL: process.argv[2], apiKey: "none" }).responses("mock");
const [{ body }] = JSON.parse(readFileSync(file, "utf-8"));
const draws = (body.tools ?? []).some(({ type }) => type === "image_generation");
const tools = draws ? { image_generation: openai.tools.imageGeneration({ partialImages: 3 }) } : {};
const asked = { model, prompt: "Hello", tools, maxRetries: 0 };
for (const ask of [streamText, generateText]) {
  const { content, sources } = await ask(asked);
  for (const part of await content) console.log(`${ask.name}:`, JSON.stringify(part));
  console.log(`${ask.name} sources:`, (await sources).length);
}
