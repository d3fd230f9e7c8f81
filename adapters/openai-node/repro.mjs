/** Prints the events of openai's plain stream of responses: `node repro.mjs BASE_URL`. */

import { readFileSync } from "node:fs";

import OpenAI from "openai";

const file = new URL("requests.json", import.meta.url);
for (const { max_retries: maxRetries, body } of JSON.parse(readFileSync(file, "utf-8"))) {
  const client = new OpenAI({ baseURL: process.argv[2], apiKey: "none", maxRetries });
  try {
    const stream = await client.responses.create({ ...body, stream: true });
    for await (const event of stream) console.log(JSON.stringify(event));
  } catch (error) {
    console.log("raised", String(error));
  }
}
