/**
 * Reads the parts of Copilot Chat's parser: deltas of a choice, and a completion at its end. Only
 * `copilotToolCalls` of a delta are calls. The completion says how the response ended: a response
 * without one has failed, and so has one with a reason that is not in `FINISHES`.
 */

import { readArguments, usable } from "../arguments.js";
import { addCall, addText, isRecord, isText } from "./collected.js";

export const copilot = (traits) => {
  const heard = (part) =>
    isRecord(part) &&
    Number.isInteger(part.index) &&
    (traits.choices === "merge" || part.index === 0);
  return {
    takes: {
      delta: (found, part) => heard(part) && isRecord(part.delta) && take(found, part.delta),
    },

    ended(parts, end) {
      if (end.outcome === null) return end;
      const ours = parts.filter(heard);
      const completions = ours.filter((part) => part.type === "completion");
      const deltas = ours.filter((part) => part.type === "delta" && isRecord(part.delta));
      let told = failure(completions) ?? invalid(deltas.map((part) => part.delta));
      if (completions.length === 0 && !end.finish) {
        told = { kind: "truncated", message: "the response has no completion", code: "" };
      }
      const inParts = ["completed", "failed"].includes(end.outcome) ? told : null;
      return {
        outcome: end.outcome === "completed" && told ? "failed" : end.outcome,
        finish: end.finish || finish(completions),
        usage: end.usage && Object.keys(end.usage).length > 0 ? end.usage : usage(completions),
        error: end.error ?? inParts,
      };
    },
  };
};

function take(found, delta) {
  const thought = isRecord(delta.thinking) ? delta.thinking.text : undefined;
  for (const piece of [thought].flat()) if (isText(piece)) found.thinking += piece;
  if (isText(delta.text)) addText(found, delta.text);
  for (const [call, legacy] of calls(delta)) {
    const id = legacy ? `function_call_${(found.functions ??= 0)}` : call.id;
    if (legacy) found.functions += 1;
    const read = readArguments(call.arguments);
    if (usable(read)) addCall(found, id, call.name, read.value);
  }
}

/** Pairs of a complete call and whether it is a deprecated function call without an id. */
function calls(delta) {
  return Object.entries({ copilotToolCalls: false, _deprecatedCopilotFunctionCalls: true }).flatMap(
    ([name, legacy]) => {
      const told = Object.hasOwn(delta, name) && Array.isArray(delta[name]) ? delta[name] : [];
      return told.filter(isRecord).map((call) => [call, legacy]);
    },
  );
}

/** The host's own error for calls whose arguments it cannot parse; null if there are none. */
function invalid(deltas) {
  if (deltas.flatMap(calls).every(([call]) => usable(readArguments(call.arguments)))) return null;
  return { kind: "decode", message: "the arguments of a call are no JSON object", code: "" };
}

const FINISHES = new Map([
  ["stop", "stop"],
  ["client-trimmed", "stop"],
  ["tool_calls", "tool-calls"],
  ["function_call", "tool-calls"],
  ["length", "length"],
  ["content_filter", "content-filter"],
]);

function failure(completions) {
  const failed = completions.find(({ reason }) => !FINISHES.has(reason));
  if (!failed) return null;
  const { message, code } = isRecord(failed.error) ? failed.error : {};
  return {
    kind: "upstream",
    message: isText(message) ? message : "the response did not end well",
    code: isText(code) || Number.isInteger(code) ? String(code) : "",
  };
}

/** The most significant finish of all choices: failed, then incomplete, then with calls. */
function finish(completions) {
  const known = completions.map(({ reason }) => FINISHES.get(reason) ?? "error");
  const order = ["error", "length", "content-filter", "tool-calls", "stop"];
  return order.find((each) => known.includes(each)) ?? null;
}

/** Input and output tokens of the last completion that reports any; null if none does. */
function usage(completions) {
  for (const completion of completions.toReversed()) {
    const told = isRecord(completion.usage) ? completion.usage : {};
    const sides = { input: told.prompt_tokens, output: told.completion_tokens };
    const counted = Object.entries(sides).filter(([, tokens]) => Number.isInteger(tokens));
    if (counted.length > 0) return Object.fromEntries(counted);
  }
  return null;
}
