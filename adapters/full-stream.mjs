/**
 * Binds the core of the AI SDK, over its gateway: the parts of `streamText().stream`, which is called
 * `fullStream` before ai 7.
 *
 * They are emitted unchanged, as JSON. An exception from the stream is a failed run; most failures are
 * parts. The next turn of a conversation goes on with the library's own messages of the answer
 * (`responseMessages`, or `response.messages` before ai 7), as its guide says.
 */

import { serve } from "../node/index.js";
import { json } from "./json.mjs";

globalThis.AI_SDK_LOG_WARNINGS = false;

/** Serves a binding of this version of `ai`; `createGateway` is that of @ai-sdk/gateway. */
export function bind(version, ai, createGateway) {
  const implementation = { name: "ai", version };
  const dialects = ["vercel-gateway"];
  const adapter = { name: "streamproof binding", version: "1", implementation, dialects };
  const answers = new Map();
  serve(adapter, async (run, emit) => {
    const { baseUrl: baseURL, apiKey, model } = run;
    const asked = { ...question(ai, run, answers), model: createGateway({ baseURL, apiKey })(model) };
    const parts = [];
    try {
      const result = ai.streamText(asked);
      for await (const part of result.stream ?? result.fullStream) {
        parts.push(json(part));
        emit(parts.at(-1));
      }
      if (run.signal.aborted) return { outcome: "cancelled" };
      answers.set(JSON.stringify(parts), await answer(result));
    } catch (error) {
      if (run.signal.aborted) throw error;
      return { outcome: "failed", error: { kind: "unknown", message: error.message } };
    }
  });
}

/** The library's messages of an answer; none of one that failed. */
async function answer(result) {
  try {
    return (await result.responseMessages) ?? (await result.response).messages;
  } catch {
    return [];
  }
}

function question({ jsonSchema }, { messages, tools, options, signal: abortSignal }, answers) {
  const { max_retries: maxRetries = 0, ...settings } = options;
  const offered = tools.map(({ name, description, inputSchema }) => {
    return [name, { description, inputSchema: jsonSchema(inputSchema) }];
  });
  return {
    messages: prompt(messages, answers),
    allowSystemInMessages: true,
    ...(offered.length && { tools: Object.fromEntries(offered) }),
    ...settings,
    maxRetries,
    abortSignal,
    onError() {},
  };
}

/** The messages of a run for `streamText`; an assistant's are those of the answer with its parts. */
function prompt(messages, answers) {
  const parts = messages.flatMap(({ role, content }) => (role === "assistant" ? content : []));
  const calls = parts.filter(({ type }) => type === "tool-call");
  const names = new Map(calls.map(({ toolCallId, toolName }) => [toolCallId, toolName]));
  return messages.flatMap(({ role, content, callId: toolCallId }) => {
    if (role === "assistant") return answers.get(JSON.stringify(content)) ?? [];
    if (role !== "tool") return { role, content };
    const output = { type: "text", value: content };
    const toolName = names.get(toolCallId);
    return { role, content: [{ type: "tool-result", toolCallId, toolName, output }] };
  });
}
