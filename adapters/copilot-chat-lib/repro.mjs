/** Prints what Copilot Chat's SSEProcessor, a private file, reads: `node repro.mjs BASE_URL`. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const platform = (path) => require(`@vscode/chat-lib/dist/src/_internal/platform/${path}`);
const { SSEProcessor } = platform("networking/node/stream.js");
const { Response } = platform("networking/common/fetcherService.js");
const quiet = new Proxy(() => {}, { get: () => () => {} });
const turns = JSON.parse(readFileSync(new URL("requests.json", import.meta.url), "utf-8"));
for (const { body, cancel_after: left } of turns) {
  const asked = { method: "POST", body: JSON.stringify(body) };
  const got = await fetch(`${process.argv[2]}/chat/completions`, asked);
  const said = [got.status, got.statusText, got.headers, got.body, "node-fetch", quiet, "", ""];
  const token = { left, isCancellationRequested: false };
  const processor = await SSEProcessor.create(quiet, quiet, 1, new Response(...said), token);
  const print = async (_text, _index, delta) => {
    console.log(JSON.stringify(delta));
    if (--token.left === 0) console.log("cancelled", (token.isCancellationRequested = true));
  };
  const read = processor.processSSE(print);
  for await (const { reason, error } of read) console.log("completion", reason, error ?? "");
  console.log("processed");
}
