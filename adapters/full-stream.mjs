/**
 * Binds the core of the AI SDK, over its gateway: the parts of `streamText().fullStream`.
 *
 * They are emitted with the names of the provider's parts, which is the vocabulary `stream`: text is a
 * delta, and the input of a call is JSON text. A call that the core found invalid keeps its mark and its
 * text. The core's own parts about steps are left out. An exception from the stream is a failed run;
 * most failures are parts.
 */

import { serve } from "../node/index.js";
import { json } from "./json.mjs";
import { prompt } from "./prompt.mjs";

globalThis.AI_SDK_LOG_WARNINGS = false;

/** Serves a binding of this version of `ai`; `createGateway` is that of @ai-sdk/gateway. */
export function bind(version, ai, createGateway) {
  const implementation = { name: "ai", version };
  const dialects = ["vercel-gateway"];
  const adapter = { name: "streamproof binding", version: "1", implementation, dialects };
  serve(adapter, async (run, emit) => {
    const { baseUrl: baseURL, apiKey, model, signal } = run;
    const asked = { ...question(ai, run), model: createGateway({ baseURL, apiKey })(model) };
    try {
      for await (const part of ai.streamText(asked).fullStream) {
        if (signal.aborted) return;
        const said = PARTS[part.type] ? PARTS[part.type](part) : part;
        if (said) emit(json(said));
      }
    } catch (error) {
      if (signal.aborted) throw error;
      return { outcome: "failed", error: { kind: "unknown", message: error.message } };
    }
  });
}

function question({ jsonSchema }, { messages, tools, options, signal: abortSignal }) {
  const { max_retries: maxRetries = 0, ...settings } = options;
  const offered = tools.map(({ name, description, inputSchema }) => {
    return [name, { description, inputSchema: jsonSchema(inputSchema) }];
  });
  return {
    messages: prompt(messages),
    allowSystemInMessages: true,
    ...(offered.length && { tools: Object.fromEntries(offered) }),
    ...settings,
    maxRetries,
    abortSignal,
    onError() {},
  };
}

const grown = ({ text: delta, ...part }) => ({ ...part, delta });
const bytes = ({ file, ...part }) => ({ ...part, mediaType: file.mediaType, data: file.base64 });
const nothing = () => undefined;

// Parts that are not listed are emitted unchanged.
const PARTS = {
  start: nothing,
  "start-step": ({ warnings }) => ({ type: "stream-start", warnings }),
  "text-delta": grown,
  "reasoning-delta": grown,
  "tool-call": ({ input, ...part }) => {
    const written = part.invalid && typeof input === "string";
    return { ...part, input: written ? input : JSON.stringify(input) };
  },
  "tool-result": ({ output: result, ...part }) => ({ ...part, result }),
  "tool-error": ({ error: result, ...part }) => ({
    ...part,
    type: "tool-result",
    result,
    isError: true,
  }),
  "tool-approval-request": ({ toolCall: { toolCallId }, ...part }) => ({ ...part, toolCallId }),
  file: bytes,
  "reasoning-file": bytes,
  "finish-step": ({ response: { id, timestamp, modelId } }) => ({
    type: "response-metadata",
    id,
    timestamp,
    modelId,
  }),
  finish: ({ totalUsage: usage, ...part }) => ({ ...part, usage }),
  abort: nothing,
};
