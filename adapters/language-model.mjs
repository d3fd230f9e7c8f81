/**
 * Binds a language model of the AI SDK: what its `doStream()` yields are the parts.
 *
 * They are emitted unchanged, as JSON. The stream is what the SDK's core reads, so an exception from
 * it, or from `doStream()`, is a failed run, as it is in the core, unless it is internal. The core does
 * the retries, so the model sends one request.
 */

import { serve } from "../node/index.js";
import { internalErrors, isInternal } from "./failures.mjs";
import { json } from "./json.mjs";
import { prompt } from "./prompt.mjs";
import { camelCase, offered, settings } from "./provider-tools.mjs";

/**
 * Serves a binding: `model(run)` makes the model for a run, `implementation` is its package. The
 * hosted tools of a run are offered as those of `provided`, its provider's tools, which also takes
 * the options of a run.
 */
export function bind(implementation, model, dialects = ["openresponses"], provided = undefined) {
  const adapter = { name: "streamproof binding", version: "1", dialects };
  serve({ ...adapter, implementation }, async (run, emit) => {
    const { signal: abortSignal, messages } = run;
    const tools = run.tools.map((each) => tool(each, provided)).filter(Boolean);
    const asked = { prompt: prompt(messages), tools, abortSignal, ...(provided && settings(run)) };
    const internal = internalErrors();
    try {
      const { stream } = await model(run).doStream(asked);
      for await (const part of stream) {
        if (abortSignal.aborted) return;
        internal.watch(part);
        emit(json(part));
      }
      internal.done();
    } catch (error) {
      if (abortSignal.aborted || isInternal(error)) throw error;
      return failed(error);
    }
  });
}

/**
 * A tool for the model: a function, or a tool that its provider defines, whose arguments are the
 * fields of the request in camel case.
 */
function tool({ type = "function", ...told }, provided) {
  const { name, description, inputSchema, options = {} } = told;
  if (type === "function") return { type, name, description, inputSchema };
  if (provided) return offered({ type, ...told }, provided);
  const args = camelCase(type === "custom" ? { name, description } : options);
  return { type: "provider", id: `openai.${type}`, name, args };
}

function failed(error) {
  const { message, statusCode, data } = error;
  const kind = statusCode ? "http" : "unknown";
  return { outcome: "failed", error: { kind, message, code: data?.error?.code } };
}
