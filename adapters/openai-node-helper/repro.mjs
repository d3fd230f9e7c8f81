/** Asks for a response by `create` and by openai's stream helper: `node repro.mjs BASE_URL`. */

import { readFileSync } from "node:fs";

import OpenAI from "openai";

const file = new URL("requests.json", import.meta.url);
for (const { max_retries: maxRetries, body } of JSON.parse(readFileSync(file, "utf-8"))) {
  const client = new OpenAI({ baseURL: process.argv[2], apiKey: "none", maxRetries });
  try {
    const { output } = await client.responses.create({ ...body, stream: false });
    console.log("create", JSON.stringify(output));
    const stream = client.responses.stream(body);
    for await (const { type, delta } of stream) console.log(type, JSON.stringify(delta) ?? "");
    console.log("final", JSON.stringify((await stream.finalResponse()).output));
  } catch (error) {
    console.log("raised", String(error));
  }
}
