/** Prints the events of openai's helper for chat completions, and its result: `node repro.mjs BASE_URL`. */

import { readFileSync } from "node:fs";

import OpenAI from "openai";

const file = new URL("requests.json", import.meta.url);
const events = ["content.done", "refusal.done", "tool_calls.function.arguments.done"];
for (const { max_retries: maxRetries, body } of JSON.parse(readFileSync(file, "utf-8"))) {
  const client = new OpenAI({ baseURL: process.argv[2], apiKey: "none", maxRetries });
  try {
    const stream = client.chat.completions.stream(body);
    for (const type of events) stream.on(type, (event) => console.log(type, JSON.stringify(event)));
    const { message } = (await stream.finalChatCompletion()).choices[0];
    console.log("final", JSON.stringify(message));
  } catch (error) {
    console.log("raised", String(error));
  }
}
