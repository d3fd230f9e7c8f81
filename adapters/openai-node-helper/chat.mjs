/**
 * openai (Node), its stream helper: text as it comes, calls from the final completion.
 *
 * The helper joins chunks into a snapshot and returns a final completion. The binding uses only what
 * the helper documents: text and refusals come from its delta events, which do not distinguish
 * choices; calls are the tool calls of `finalChatCompletion()`, if its finish means that they are
 * complete. Its types have no field for reasoning. The vocabulary is `stream`.
 */

import OpenAI, { OpenAIError } from "openai";
import { VERSION } from "openai/version";

import { serve } from "../../node/index.js";
import { chat } from "../conversation.mjs";

const ME = {
  name: "streamproof binding",
  version: "1",
  implementation: { name: "openai", version: VERSION },
  dialects: ["chat"],
};
const FINISH = {
  stop: "stop",
  tool_calls: "tool-calls",
  function_call: "tool-calls",
  length: "length",
  content_filter: "content-filter",
};
const WHOLE = ["stop", "tool-calls"];

serve(ME, async (run, emit) => {
  const { baseUrl: baseURL, apiKey, model, options, signal } = run;
  const client = new OpenAI({ baseURL, apiKey, maxRetries: options.max_retries });
  const asked = { model, ...chat(run), stream_options: { include_usage: true } };
  const said = ({ delta }) => {
    if (delta && !signal.aborted) emit({ type: "text-delta", id: "0", delta });
  };
  try {
    const stream = client.chat.completions.stream(asked, { signal });
    stream.on("content.delta", said).on("refusal.delta", said);
    const final = await stream.finalChatCompletion();
    if (!signal.aborted) return ended(final, emit);
  } catch (error) {
    if (signal.aborted || !(error instanceof OpenAIError)) throw error;
    return failed(error.status ? "http" : "upstream", error);
  }
});

/** Emits the calls of a final completion, and returns the ending. */
function ended({ choices, usage }, emit) {
  const odd = choices.find((choice) => !FINISH[choice.finish_reason]);
  if (odd) return failed("upstream", { message: `the finish is ${odd.finish_reason}` });
  const finishes = choices.map((choice) => FINISH[choice.finish_reason]);
  const cut = finishes.find((finish) => !WHOLE.includes(finish));
  const calls = choices.flatMap(({ message }) => [...(message.tool_calls ?? []), ...old(message)]);
  for (const { id: toolCallId, ...called } of cut ? [] : calls) {
    const { name: toolName, arguments: input } = called.function ?? called.custom;
    emit({ type: "tool-call", toolCallId, toolName, input: input ?? called.custom.input });
  }
  const tokens = usage && { input: usage.prompt_tokens, output: usage.completion_tokens };
  const finish = cut ?? (calls.length ? "tool-calls" : "stop");
  return { outcome: "completed", finish, usage: tokens };
}

/** The deprecated `function_call` of a message as a call; its name is used as its id. */
function old({ function_call: called }) {
  return called ? [{ id: called.name, function: called }] : [];
}

function failed(kind, { message, code }) {
  return { outcome: "failed", error: { kind, message: message ?? "", code } };
}
