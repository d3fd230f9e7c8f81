/**
 * openai (Node), its plain stream of chunks: typed chunks in, parts of the vocabulary `stream` out.
 *
 * The library only decodes the wire, types the chunks and raises errors. So the rest is written here
 * as its users could write it: texts are the deltas of the first choice; calls are joined by their
 * index and emitted at the finish, if that means that they are complete; an answer without a finish
 * has failed. The library's types have no field for reasoning. The request asks for usage, which is
 * awaited for a second after the finish.
 */

import OpenAI from "openai";
import { VERSION } from "openai/version";

import { serve } from "../../node/index.js";
import { chat } from "../conversation.mjs";
import { failed, isInternal } from "../failures.mjs";

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
const PROVIDERS_OWN = ["function", "tool"];
const GRACE = 1000;

serve(ME, async (run, emit) => {
  const { baseUrl: baseURL, apiKey, model, options, signal } = run;
  const client = new OpenAI({ baseURL, apiKey, maxRetries: options.max_retries });
  const asked = { model, ...chat(run), stream: true, stream_options: { include_usage: true } };
  const answer = { calls: [] };
  try {
    const stream = await client.chat.completions.create(asked, { signal });
    for await (const chunk of stream) {
      if (signal.aborted) return;
      read(answer, chunk, emit);
      if (answer.finish) setTimeout(() => answer.finish && stream.controller.abort(), GRACE).unref();
    }
  } catch (error) {
    if (signal.aborted || isInternal(error)) throw error;
    return failed(error.status ? "http" : "upstream", error);
  }
  if (!signal.aborted) return ended(answer, emit);
});

/** Reads a chunk; an upstream may send null in its place. */
function read(answer, chunk, emit) {
  const { choices, usage } = chunk ?? {};
  answer.usage = usage ?? answer.usage;
  const choice = choices?.find((each) => each && !each.index);
  const delta = choice?.delta ?? {};
  // The result of a call that the upstream made itself, and finished with; the answer follows.
  if (PROVIDERS_OWN.includes(delta.role)) Object.assign(answer, { calls: [], finish: null });
  if (!choice || answer.finish || PROVIDERS_OWN.includes(delta.role)) return;
  for (const text of [delta.content, delta.refusal]) {
    if (text) emit({ type: "text-delta", id: "0", delta: text });
  }
  const old = delta.function_call;
  if (old) gather(answer.calls, { id: old.name, function: old });
  for (const piece of delta.tool_calls ?? []) gather(answer.calls, piece);
  answer.finish = choice.finish_reason;
}

/**
 * Adds a piece to the call with its index, unless the piece begins another call: it has another id,
 * and a name. The deprecated single call has neither index nor id; its name is used as its id.
 */
function gather(calls, { index, id, function: piece }) {
  if (!piece) return;
  const begun = () => calls[calls.push({ index, id: "", name: "", input: "" }) - 1];
  const last = calls.findLast((call) => call.index === index);
  const isOther = id && last?.id && last.id !== String(id) && piece.name;
  const call = last && !isOther ? last : begun();
  call.id ||= String(id ?? "");
  if (piece.name && piece.name !== call.name && !call.input) call.name += piece.name;
  call.input += piece.arguments ?? "";
}

function ended({ finish, calls, usage }, emit) {
  if (!finish) return failed("truncated", { message: "the answer has no finish" });
  if (!FINISH[finish]) return failed("upstream", { message: `the finish is ${finish}` });
  const made = new Map();
  for (const { id, name, input } of WHOLE.includes(FINISH[finish]) ? calls : []) {
    if (made.get(id) === input) continue; // a repetition
    if (!id || !name || made.has(id)) return failed("decode", { message: "no id or name of its own" });
    emit({ type: "tool-call", toolCallId: id, toolName: name, input });
    made.set(id, input);
  }
  const tokens = usage && { input: usage.prompt_tokens, output: usage.completion_tokens };
  return { outcome: "completed", finish: FINISH[finish], usage: tokens };
}
