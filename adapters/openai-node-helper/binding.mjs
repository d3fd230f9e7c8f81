/**
 * openai (Node), its stream helper for the Responses API: the events that it passes on, and its final
 * response.
 *
 * The helper documents the events of the API and `finalResponse()`, which has the whole answer. Both
 * are read: the events as they come, then what the final response adds. What the events had and the
 * final response lacks is a contradiction of the helper, and a failed run. It resolves however the
 * stream ended, so its status is checked. The vocabulary is `stream`.
 */

import OpenAI from "openai";
import { VERSION } from "openai/version";

import { serve } from "../../node/index.js";
import { items } from "../conversation.mjs";
import { Contradiction, failed, isInternal } from "../failures.mjs";
import { made, Reader } from "../responses.mjs";

const ME = {
  name: "streamproof binding",
  version: "1",
  implementation: { name: "openai", version: VERSION },
  dialects: ["openresponses"],
};
const ANSWERED = ["completed", "incomplete"];

serve(ME, async ({ baseUrl: baseURL, apiKey, model, messages, tools, options, signal }, emit) => {
  const { max_retries: maxRetries, ...settings } = options;
  const client = new OpenAI({ baseURL, apiKey, maxRetries });
  const asked = { model, input: items(messages), tools: tools.map(tool), ...settings };
  const reader = new Reader(emit);
  try {
    const stream = client.responses.stream(asked, { signal });
    for await (const event of stream) {
      if (signal.aborted) return;
      reader.read(event);
    }
    const final = await stream.finalResponse();
    if (!ANSWERED.includes(final.status)) {
      return failed("upstream", final.error ?? { message: `the final response is ${final.status}` });
    }
    compare(reader, final);
    return reader.ended(final);
  } catch (error) {
    if (signal.aborted || isInternal(error)) throw error;
    return failed(error.status ? "http" : "upstream", error);
  }
});

/** A tool of the request: a function, a custom tool, or one that the upstream runs. */
function tool({ type = "function", name, description, inputSchema: parameters, options }) {
  if (type === "function") return { type, name, description, parameters, strict: false };
  return { type, ...(type === "custom" && { name, description }), ...options };
}

/** Throws a Contradiction if the final response lacks a call or a text of the events. */
function compare({ calls, texts }, { output }) {
  const final = output.filter(({ type }) => type === "function_call").map((item) => made(item));
  const lost = [...calls.values()].find((call) => !final.includes(call));
  if (lost) throw new Contradiction(`finalResponse() lacks the call ${lost} of the events`);
  const messages = output.filter(({ type }) => type === "message");
  const whole = messages.flatMap(({ content }) => content.map(({ text, refusal }) => text ?? refusal));
  const agrees = (text) => whole.some((each) => each && (each.startsWith(text) || text.startsWith(each)));
  const other = texts.find((text) => !agrees(text));
  if (other) throw new Contradiction(`finalResponse() lacks the text ${other} of the events`);
}
