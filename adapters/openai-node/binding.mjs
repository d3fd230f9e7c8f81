/**
 * openai (Node), its plain stream: typed events in, parts of the vocabulary `stream` out.
 *
 * The library only decodes the wire, types the events and raises errors. So the rest is written here
 * as its users would write it: texts are the delta events, calls are the finished items, and a
 * response ends as its terminal event says. Citations are those that have an event. Text and
 * citations are not read from finished items or from the final response.
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
const FINISH = { max_output_tokens: "length", content_filter: "content-filter" };

serve(ME, async ({ baseUrl: baseURL, apiKey, model, messages, tools, options, signal }, emit) => {
  const client = new OpenAI({ baseURL, apiKey, maxRetries: options.max_retries });
  const asked = { model, input: items(messages), tools: tools.map(tool), stream: true };
  try {
    for await (const event of await client.responses.create(asked, { signal })) {
      if (signal.aborted) return;
      PARTS[event.type]?.(event, emit);
      if (ENDS[event.type]) return ENDS[event.type](event);
    }
  } catch (error) {
    if (signal.aborted || !raised(error)) throw error;
    return failed(error.status ? "http" : "upstream", error);
  }
  if (!signal.aborted) return failed("truncated", { message: "no terminal event came" });
});

/** A tool of the request: a function, a custom tool, or one that the upstream runs. */
function tool({ type = "function", name, description, inputSchema: parameters, options }) {
  if (type === "function") return { type, name, description, parameters, strict: false };
  return type === "custom" ? { type, name, description } : { type, ...options };
}

const delta = (type) => (event, emit) => emit({ type, id: "0", delta: event.delta });

const PARTS = {
  "response.output_text.delta": delta("text-delta"),
  "response.refusal.delta": delta("text-delta"),
  "response.reasoning_text.delta": delta("reasoning-delta"),
  "response.reasoning_summary_text.delta": delta("reasoning-delta"),
  "response.output_text.annotation.added": ({ annotation }, emit) => emit(source(annotation ?? {})),
  "response.output_item.done": ({ item }, emit) => {
    if (item?.type !== "function_call") return;
    const { call_id: toolCallId, name: toolName, arguments: input } = item;
    emit({ type: "tool-call", toolCallId, toolName, input });
  },
};

function source({ url, title, file_id: fileId, container_id: containerId, filename }) {
  if (url) return { type: "source", sourceType: "url", id: url, url, title };
  const providerMetadata = { openai: { fileId, containerId } };
  return { type: "source", sourceType: "document", id: fileId, filename, providerMetadata };
}

const ENDS = {
  "response.completed": ended,
  "response.incomplete": ended,
  "response.failed": ({ response }) => failed("upstream", response.error ?? {}),
  error: (event) => failed("upstream", event),
};

function ended({ response: { usage, error, incomplete_details: details } }) {
  if (error) return failed("upstream", error);
  // The API has no reason for a response that is complete.
  const finish = details ? (FINISH[details.reason] ?? "other") : undefined;
  const tokens = usage && { input: usage.input_tokens, output: usage.output_tokens };
  return { outcome: "completed", finish, usage: tokens };
}

/** Whether an error comes from the library: its own classes, and errors of decoding or connecting. */
function raised(error) {
  return error instanceof OpenAIError || error instanceof SyntaxError || error.cause;
}

function failed(kind, { message, code }) {
  return { outcome: "failed", error: { kind, message: message ?? "", code } };
}
