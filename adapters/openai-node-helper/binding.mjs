/**
 * openai (Node), its stream helper: text as it comes, calls from the final response.
 *
 * The helper joins events into a snapshot and returns a final response. The binding uses only what
 * the helper documents: text and refusals come from its delta events, calls are the function calls
 * of `finalResponse()`, with their arguments as text. That resolves however the stream ended, so its
 * status is checked. Its users read reasoning and citations from the snapshot, if at all, so both
 * are hidden here. The vocabulary is `stream`.
 */

import OpenAI, { OpenAIError } from "openai";
import { VERSION } from "openai/version";

import { serve } from "../../node/index.js";
import { items } from "../conversation.mjs";

const ME = {
  name: "streamproof binding",
  version: "1",
  implementation: { name: "openai", version: VERSION },
  dialects: ["openresponses"],
};
const SHOWN = ["response.output_text.delta", "response.refusal.delta"];
const ANSWERED = ["completed", "incomplete"];
const FINISH = { max_output_tokens: "length", content_filter: "content-filter" };

serve(ME, async ({ baseUrl: baseURL, apiKey, model, messages, tools, options, signal }, emit) => {
  const client = new OpenAI({ baseURL, apiKey, maxRetries: options.max_retries });
  const asked = { model, input: items(messages), tools: tools.map(tool) };
  try {
    const stream = client.responses.stream(asked, { signal });
    for await (const { type, item_id: id, delta } of stream) {
      if (signal.aborted) return;
      if (SHOWN.includes(type)) emit({ type: "text-delta", id, delta });
    }
    return ended(await stream.finalResponse(), emit);
  } catch (error) {
    if (signal.aborted || !(error instanceof OpenAIError)) throw error;
    return failed(error.status ? "http" : "upstream", error);
  }
});

/** A tool of the request: a function, a custom tool, or one that the upstream runs. */
function tool({ type = "function", name, description, inputSchema: parameters, options }) {
  if (type === "function") return { type, name, description, parameters, strict: false };
  return type === "custom" ? { type, name, description } : { type, ...options };
}

/** Emits the calls of a final response, and returns the ending. */
function ended({ status, output, usage, error, incomplete_details: details }, emit) {
  if (!ANSWERED.includes(status)) {
    return failed("upstream", error ?? { message: `the final response is ${status}` });
  }
  for (const item of output) {
    if (item.type !== "function_call") continue;
    const { call_id: toolCallId, name: toolName, arguments: input } = item;
    emit({ type: "tool-call", toolCallId, toolName, input });
  }
  // The API has no reason for a response that is complete.
  const finish = status === "incomplete" ? (FINISH[details?.reason] ?? "other") : undefined;
  const tokens = usage && { input: usage.input_tokens, output: usage.output_tokens };
  return { outcome: "completed", finish, usage: tokens };
}

function failed(kind, { message, code }) {
  return { outcome: "failed", error: { kind, message: message ?? "", code } };
}
