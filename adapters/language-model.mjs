/**
 * Binds a language model of the AI SDK: what its `doStream()` yields are the parts.
 *
 * They are emitted unchanged, as JSON. The stream is what the SDK's core reads, so an exception from
 * it, or from `doStream()`, is a failed run, as it is in the core, unless it is a crash. The core does
 * the retries, so the model sends one request.
 */

import { serve } from "../node/index.js";
import { isCrash } from "./failures.mjs";
import { json } from "./json.mjs";
import { prompt } from "./prompt.mjs";

/** Serves a binding: `model(run)` makes the model for a run, `implementation` is its package. */
export function bind(implementation, model, dialects = ["openresponses"]) {
  const adapter = { name: "streamproof binding", version: "1", dialects };
  serve({ ...adapter, implementation }, async (run, emit) => {
    const { signal: abortSignal, messages, tools } = run;
    const asked = { prompt: prompt(messages), tools: tools.map(tool), abortSignal };
    try {
      const { stream } = await model(run).doStream(asked);
      for await (const part of stream) {
        if (abortSignal.aborted) return;
        emit(json(part));
      }
    } catch (error) {
      if (abortSignal.aborted || isCrash(error)) throw error;
      return failed(error);
    }
  });
}

/**
 * A tool for the model: a function, or a tool that its provider defines, whose arguments are the
 * fields of the request in camel case.
 */
function tool({ type = "function", name, description, inputSchema, options = {} }) {
  if (type === "function") return { type, name, description, inputSchema };
  const args = Object.entries(type === "custom" ? { name, description } : options);
  const camel = (word) => word.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
  return {
    type: "provider",
    id: `openai.${type}`,
    name,
    args: Object.fromEntries(args.map(([key, value]) => [camel(key), value])),
  };
}

function failed(error) {
  const { message, statusCode, data } = error;
  const kind = statusCode ? "http" : "unknown";
  return { outcome: "failed", error: { kind, message, code: data?.error?.code } };
}
