// Reads model streams with the openai package, for a test that asks.
//
// A line on stdin is a question, {id, base_url, api, how, ask}: `api` is "responses" or "chat"; `how`
// is "raw" for the plain stream, "helper" for the client's stream helper, or "whole" for no stream,
// which is for chat alone; `ask` is what the request has beside its input. Without a base_url the
// client takes OPENAI_BASE_URL. A line on stdout is the answer, a reading with the question's id:
//
//   {id, text, reasoning, refusal, calls: [{id, name, arguments}], ended, reason, usage, error}
//
// Content is joined in the order in which it came. The calls of Responses are those that were
// completed; chat completions never say that of one, and theirs are all that began. `ended` is
// completed, incomplete, failed or threw, and null where the stream ended without saying how. `usage`
// is chat's alone. Of the helper there are two readings more: `final` is its final response or
// completion, and `held` has the text and the calls as its snapshots have them.

import { createInterface } from "node:readline";
import OpenAI from "openai";

import * as chat from "./chat.mjs";
import * as responses from "./responses.mjs";

const AT_ONCE = 16;
const PATIENCE = 20_000;
const APIS = { chat, responses };

async function answer({ id, base_url, api, how, ask }) {
  const client = new OpenAI({ baseURL: base_url, maxRetries: 0 });
  const options = { signal: AbortSignal.timeout(PATIENCE) };
  const reader = new APIS[api].Reader();
  try {
    await APIS[api].HOW[how](client, ask, options, reader);
  } catch (thrown) {
    const { message, code = null } = thrown;
    const error = { name: thrown.constructor.name, message, code };
    Object.assign(reader.reading, { ended: "threw", error });
  }
  return { id, ...reader.reading };
}

async function work(questions) {
  for await (const question of questions) {
    console.log(JSON.stringify(await answer(JSON.parse(question))));
  }
}

const questions = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
await Promise.all(Array.from({ length: AT_ONCE }, () => work(questions)));
