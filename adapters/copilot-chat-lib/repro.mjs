/** Prints what Copilot Chat's SSEProcessor, a private file, reads: `node repro.mjs BASE_URL`. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const platform = (path) => require(`@vscode/chat-lib/dist/src/_internal/platform/${path}`);
const { SSEProcessor } = platform("networking/node/stream.js");
const { Response } = platform("networking/common/fetcherService.js");

const ignored = () => {};
const quiet = new Proxy({}, { get: () => ignored });
const running = { isCancellationRequested: false };
const print = async (_text, _index, delta) => console.log(JSON.stringify(delta));
for (const { body } of JSON.parse(readFileSync(new URL("requests.json", import.meta.url), "utf-8"))) {
  const asked = { method: "POST", body: JSON.stringify(body) };
  const got = await fetch(`${process.argv[2]}/chat/completions`, asked);
  const said = [got.status, got.statusText, got.headers, got.body, "node-fetch", ignored, "", ""];
  const processor = await SSEProcessor.create(quiet, quiet, 1, new Response(...said), running);
  for await (const { reason, error } of processor.processSSE(print)) {
    console.log("completion", reason, error ?? "");
  }
}
