/**
 * Binds the core of the AI SDK over a provider: the parts of `streamText().stream`, which is called
 * `fullStream` before ai 7.
 *
 * They are emitted unchanged, as JSON. An exception from the stream is a failed run, unless it is
 * internal; most failures are parts. The next turn of a conversation goes on with the library's own messages of the answer
 * (`responseMessages`, or `response.messages` before ai 7), as its guide says.
 */

import { createRequire } from "node:module";

import { serve } from "../node/index.js";
import { internalErrors, isInternal } from "./failures.mjs";
import { json } from "./json.mjs";
import { made, output, settings } from "./provider-tools.mjs";
import { twice } from "./twice.mjs";

globalThis.AI_SDK_LOG_WARNINGS = false;

/**
 * Serves a binding of `ai` over the model that `model(run)` makes; `implementation` is the package
 * that it tests. The hosted tools of a run are offered as those of `provided`, its provider's tools,
 * which also takes the options of a run.
 */
export function bind(implementation, ai, model, dialects, provided = undefined) {
  const adapter = { name: "streamproof binding", version: "1", implementation, dialects };
  const answers = new Map();
  serve(adapter, async (run, emit) => {
    const asked = { ...question(ai, run, answers, provided), model: model(run) };
    const parts = [];
    const internal = internalErrors();
    try {
      const result = ai.streamText(asked);
      for await (const part of result.stream ?? result.fullStream) {
        internal.watch(part);
        parts.push(json(part));
        emit(parts.at(-1));
      }
      if (run.signal.aborted) return { outcome: "cancelled" };
      internal.done();
      answers.set(JSON.stringify(parts), await answer(result));
    } catch (error) {
      if (run.signal.aborted || isInternal(error)) throw error;
      return { outcome: "failed", error: { kind: "unknown", message: error.message } };
    }
  });
}

const FIELDS = ["content", "finishReason", "rawFinishReason", "totalUsage", "warnings", "providerMetadata"];

/** Asks a model twice, for contradictions.py: the result of `streamText()` and of `generateText()`. */
export const askTwice = (ai, model, provided = undefined) =>
  twice((run) => {
    const asked = { ...question(ai, run, undefined, provided), model: model(run) };
    return {
      stream: () => fields(ai.streamText(asked)),
      plain: async () => fields(await ai.generateText(asked)),
    };
  });

/** The values of a result by name; those of a stream are promises. */
async function fields(result) {
  const values = await Promise.all(FIELDS.map(async (name) => [name, await result[name]]));
  return Object.fromEntries(values);
}

/** Serves the binding in the module `url`, of the `ai` installed beside it, over its gateway. */
export function bindGateway(url, ai, createGateway) {
  const { version } = createRequire(url)("ai/package.json");
  const model = ({ baseUrl: baseURL, apiKey, model: id }) => createGateway({ baseURL, apiKey })(id);
  bind({ name: "ai", version }, ai, model, ["vercel-gateway"]);
}

/** The library's messages of an answer; none of one that failed. */
async function answer(result) {
  try {
    return (await result.responseMessages) ?? (await result.response).messages;
  } catch {
    return [];
  }
}

/** What `streamText()` and `generateText()` are asked in a run, but for the model. */
function question(ai, run, answers = new Map(), provided = undefined) {
  const { messages, options, signal: abortSignal } = run;
  const { max_retries: maxRetries = 0, ...rest } = options;
  const known = run.tools.map((each) => [each.name, tool(ai, each, provided)]);
  const tools = Object.fromEntries(known.filter(([, each]) => each));
  return {
    messages: prompt(messages, answers),
    allowSystemInMessages: true,
    ...(Object.keys(tools).length && { tools }),
    ...(provided ? settings(run) : rest),
    maxRetries,
    abortSignal,
    onError() {},
  };
}

/** A tool of the application, or one of its provider; undefined if the provider has none. */
function tool({ jsonSchema }, { type = "function", ...told }, provided) {
  if (type !== "function") return provided && made({ type, ...told }, provided);
  return { description: told.description, inputSchema: jsonSchema(told.inputSchema) };
}

/** The messages of a run for `streamText`; an assistant's are those of the answer with its parts. */
function prompt(messages, answers) {
  const parts = messages.flatMap(({ role, content }) => (role === "assistant" ? content : []));
  return messages.flatMap((message) => {
    if (message.role === "assistant") return answers.get(JSON.stringify(message.content)) ?? [];
    return SAID[message.role]?.(message, parts) ?? message;
  });
}

const SAID = {
  tool: ({ callId: toolCallId, content, output: hosted }, parts) => {
    const called = parts.find((part) => part.type === "tool-call" && part.toolCallId === toolCallId);
    const result = hosted ? output(hosted) : { type: "text", value: content };
    const part = { type: "tool-result", toolCallId, toolName: called?.toolName, output: result };
    return { role: "tool", content: [part] };
  },
  approval: ({ approvalId, approve: approved, reason }, parts) => {
    const { toolCall } = parts.find((part) => part.approvalId === approvalId) ?? {};
    const { providerExecuted } = toolCall ?? {};
    const answer = { type: "tool-approval-response", approvalId, approved };
    return { role: "tool", content: [{ ...answer, ...json({ reason, providerExecuted }) }] };
  },
};
