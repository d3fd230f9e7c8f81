/**
 * openai (Node), its plain stream: typed events in, parts of the vocabulary `stream` out.
 *
 * The library decodes the wire, types the events and raises errors; what the events mean is left to
 * its users, and responses.mjs reads them as its types and OpenAI's guides describe them.
 */

import OpenAI from "openai";
import { VERSION } from "openai/version";

import { serve } from "../../node/index.js";
import { items } from "../conversation.mjs";
import { failed, isInternal } from "../failures.mjs";
import { Reader } from "../responses.mjs";

const ME = {
  name: "streamproof binding",
  version: "1",
  implementation: { name: "openai", version: VERSION },
  dialects: ["openresponses"],
};
const FINAL = ["response.completed", "response.incomplete", "response.failed"];

serve(ME, async ({ baseUrl: baseURL, apiKey, model, messages, tools, options, signal }, emit) => {
  const { max_retries: maxRetries, ...settings } = options;
  const client = new OpenAI({ baseURL, apiKey, maxRetries });
  const asked = { model, input: items(messages), tools: tools.map(tool), stream: true, ...settings };
  const reader = new Reader(emit);
  try {
    for await (const event of await client.responses.create(asked, { signal })) {
      if (signal.aborted) return;
      if (event.type === "error") return failed("upstream", event);
      if (FINAL.includes(event.type)) return reader.ended(event.response);
      reader.read(event);
    }
  } catch (error) {
    if (signal.aborted || isInternal(error)) throw error;
    return failed(error.status ? "http" : "upstream", error);
  }
  if (!signal.aborted) return failed("truncated", { message: "no terminal event came" });
});

/** A tool of the request: a function, a custom tool, or one that the upstream runs. */
function tool({ type = "function", name, description, inputSchema: parameters, options }) {
  if (type === "function") return { type, name, description, parameters, strict: false };
  return { type, ...(type === "custom" && { name, description }), ...options };
}
