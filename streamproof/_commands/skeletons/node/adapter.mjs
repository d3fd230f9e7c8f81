/**
 * Reads OpenResponses and emits parts of VS Code: put your own implementation in place of this one.
 *
 * `streamproof/` beside it speaks the protocol, and `adapter.yaml` says what this adapter supports.
 */
import { Failed, events, played } from "./events.mjs";
import { serve } from "./streamproof/index.js";

const FINISH = { max_output_tokens: "length", content_filter: "content-filter" };

/** Send the request and emit the parts of its stream; returns how the response finished. */
async function play(run, emit) {
  const asTool = ({ name, description, inputSchema }) => ({ type: "function", name, description, parameters: inputSchema });
  const { model, messages: input, tools } = run;
  const { max_retries: _, ...options } = run.options;
  const body = { model, input, tools: tools.map(asTool), ...options };
  const calls = new Set();
  for await (const event of events(run, "/responses", body)) {
    const finish = convert(event, calls, emit);
    if (finish) return finish;
  }
  throw new Failed("truncated", "the stream ended before the response did");
}

/** Emits the parts of an event; returns how the response finished, once it has. */
function convert({ type, delta, item, response, ...event }, calls, emit) {
  if (type === "response.output_text.delta" || type === "response.refusal.delta") {
    if (delta) emit({ type: "text", value: delta });
  } else if (type === "response.output_item.done" && item?.type === "function_call") {
    // Each call is emitted once, when it is complete; an incomplete one is not emitted.
    const { call_id: callId, name, arguments: text, status } = item;
    if (status === "incomplete" || calls.has(callId)) return undefined;
    calls.add(callId);
    const input = JSON.parse(text.trim() || "{}");
    if (Object(input) !== input || Array.isArray(input)) {
      throw new Failed("decode", `the arguments of ${name} are no object`);
    }
    emit({ type: "toolCall", callId, name, input });
  } else if (type === "response.completed" && response?.status !== "incomplete") {
    return calls.size ? "tool-calls" : "stop";
  } else if (type === "response.completed" || type === "response.incomplete") {
    return FINISH[response.incomplete_details?.reason] ?? "other";
  } else if (type === "response.failed" || type === "error") {
    const error = response?.error ?? event.error ?? event;
    throw new Failed("upstream", String(error.message ?? error), error.code);
  }
  return undefined;
}

const identity = { name: "my-adapter", version: "0.1.0", dialects: ["openresponses"] };
serve(identity, played(play));
