// Records what the AI SDK makes of the parts of a provider, for a test that asks.
//
// A line on stdin is a question, {id, steps, options}: the parts of LanguageModelV3 that the model streams,
// by step, and how streamText is called: `tools` has the names of the tools, `outputs` the output of each
// call that they run, `approval` whether they ask for it first, and `abort_after` the number of parts
// after which the caller aborts; `messages` are those before the answer. A line on stdout is the answer, {id, full, ui}: the parts of fullStream, and the chunks of toUIMessageStream(),
// which ai 4 does not have. Values that are undefined are left out, as JSON does.

import { createInterface } from "node:readline";

import { json } from "../../../adapters/json.mjs";
import { MODELS } from "./models.mjs";

globalThis.AI_SDK_LOG_WARNINGS = false;

/** Answers with the module `ai` of one version, whose models have this specification. */
export async function record(ai, specification) {
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, ...asked } = JSON.parse(line);
    const full = await collected(streamed(ai, specification, asked).fullStream);
    const chunks = streamed(ai, specification, asked).toUIMessageStream?.(AS_A_SERVER);
    console.log(JSON.stringify({ id, full, ui: chunks && (await collected(chunks)) }));
  }
}

const AS_A_SERVER = {
  originalMessages: [],
  generateMessageId: () => "msg_1",
  sendSources: true,
  messageMetadata: ({ part }) => (part.type === "raw" ? { raw: true } : undefined),
  onError: (error) => error?.message ?? String(error),
};

async function collected(stream) {
  const parts = [];
  for await (const part of stream) parts.push(part.mimeType ? flat(part) : json(part));
  return parts;
}

/** A file of ai 4, whose part has the getters of the file. */
const flat = ({ type, base64, mimeType }) => ({ type, base64, mimeType });

function streamed(ai, specification, { steps, options: { tools = [], outputs = {}, approval, messages, abort_after } }) {
  const abort = new AbortController();
  const played = { steps, signal: abort.signal, abortAfter: abort_after ?? undefined, abort: () => abort.abort() };
  const offered = tools.map((name) => [name, tool(ai, outputs, approval)]);
  return ai.streamText({
    model: MODELS[specification](played),
    ...(messages.length ? { messages } : { prompt: "Hello" }),
    includeRawChunks: true,
    ...(tools.length && { tools: Object.fromEntries(offered) }),
    ...(ai.stepCountIs ? { stopWhen: ai.stepCountIs(steps.length) } : { maxSteps: steps.length }),
    toolCallStreaming: true,
    experimental_generateMessageId: () => "msg-1",
    maxRetries: 0,
    abortSignal: abort.signal,
    onError() {},
  });
}

function tool({ jsonSchema }, outputs, needsApproval) {
  const schema = jsonSchema({ type: "object" }, { validate });
  const execute = async (_, { toolCallId }) => {
    if (outputs[toolCallId] === null) throw new Error("The tool broke.");
    return outputs[toolCallId];
  };
  const runs = Object.keys(outputs).length && { execute, needsApproval };
  return { inputSchema: schema, parameters: schema, ...runs };
}

function validate(value) {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? { success: true, value } : { success: false, error: new Error("no object") };
}
