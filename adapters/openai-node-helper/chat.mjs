/**
 * openai (Node), its stream helper for chat completions: its events, and its final completion.
 *
 * The helper documents an event for each piece of text and one for each call "once a function tool's
 * complete arguments are available", and `finalChatCompletion()` with the whole answer. Both are read:
 * the events as they come, with the id of a call from the helper's snapshot, then what the final
 * completion adds, such as custom calls, if its finish means that they are complete. What the events
 * had and the final completion lacks is a contradiction of the helper, and a failed run, as is a text
 * of `content.done` that is not the one of the final completion. The events do
 * not distinguish choices. The types have no field for reasoning. The vocabulary is `stream`.
 */

import OpenAI from "openai";
import { VERSION } from "openai/version";

import { serve } from "../../node/index.js";
import { chat } from "../conversation.mjs";
import { Contradiction, failed, isInternal } from "../failures.mjs";

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
  const answer = { text: "", calls: [] };
  const say = (part) => signal.aborted || emit(part);
  try {
    const stream = client.chat.completions.stream(asked, { signal });
    listen(stream, answer, say);
    const final = await stream.finalChatCompletion();
    if (!signal.aborted) return ended(final, answer, say);
  } catch (error) {
    if (signal.aborted || isInternal(error)) throw error;
    return failed(error.status ? "http" : "upstream", error);
  }
});

/** Emits texts and calls by the helper's events, and keeps them. */
function listen(stream, answer, say) {
  const said = ({ delta }) => {
    answer.text += delta;
    if (delta) say({ type: "text-delta", id: "0", delta });
  };
  stream.on("content.delta", said).on("refusal.delta", said);
  stream.on("content.done", ({ content }) => (answer.done = content));
  stream.on("tool_calls.function.arguments.done", ({ index, name, arguments: input }) => {
    const choices = stream.currentChatCompletionSnapshot?.choices ?? [];
    const made = choices.map(({ message }) => message?.tool_calls?.[index]);
    const { id } = made.find((each) => each?.function?.name === name && same(each, input)) ?? {};
    if (id) call(answer, { id, name, input }, say);
  });
}

const same = ({ function: { arguments: whole } }, input) => whole === input;

function call({ calls }, { id: toolCallId, name: toolName, input }, say) {
  calls.push({ id: toolCallId, input });
  say({ type: "tool-call", toolCallId, toolName, input });
}

/** Emits the calls of a final completion that had no event, and returns the ending. */
function ended({ choices, usage }, answer, say) {
  const odd = choices.find((choice) => !FINISH[choice.finish_reason]);
  if (odd) return failed("upstream", { message: `the finish is ${odd.finish_reason}` });
  const finishes = choices.map((choice) => FINISH[choice.finish_reason]);
  const cut = finishes.find((finish) => !WHOLE.includes(finish));
  const final = choices.flatMap(({ message }) => callsOf(message));
  compare(answer, final, choices);
  for (const each of cut ? [] : final) {
    if (!answer.calls.some(({ id, input }) => id === each.id && input === each.input)) {
      call(answer, each, say);
    }
  }
  const tokens = usage && { input: usage.prompt_tokens, output: usage.completion_tokens };
  const finish = cut ?? (final.length ? "tool-calls" : "stop");
  return { outcome: "completed", finish, usage: tokens };
}

/** Throws a Contradiction if the final completion lacks a call or the text of the events. */
function compare({ text, calls, done }, final, choices) {
  const lost = calls.find(({ id }) => !final.some((each) => each.id === id));
  if (lost) throw new Contradiction(`the final completion lacks the call ${lost.id} of the events`);
  const [{ message } = {}] = choices;
  const whole = `${message?.content ?? ""}${message?.refusal ?? ""}`;
  if (choices.length === 1 && whole !== text) {
    throw new Contradiction(`the final text is ${JSON.stringify(whole)}, the deltas ${JSON.stringify(text)}`);
  }
  if (choices.length === 1 && message?.content && done !== message.content) {
    throw new Contradiction(`the final text is ${JSON.stringify(whole)}, content.done has ${JSON.stringify(done)}`);
  }
}

/** The calls of a message, with the deprecated `function_call`, whose name is used as its id. */
function callsOf({ tool_calls: calls, function_call: old }) {
  const made = (calls ?? []).map(({ id, function: called, custom }) => {
    const { name, arguments: input } = called ?? { ...custom, arguments: custom.input };
    return { id, name, input };
  });
  return old ? [...made, { id: old.name, name: old.name, input: old.arguments }] : made;
}
