/**
 * Reads the parts of a language model provider of the AI SDK, and those of Effect. They say how the
 * response ended: `finish` has the reason and the usage, and an `error` is a failure whatever the
 * run's ending says. A call that the provider has executed itself is left out. A call whose input is
 * not a JSON object is left out and counts as a decoding error. A custom tool is called with a JSON
 * string; `tool-input-start` says so (`inputEncoding`).
 */

import { readArguments, readValue, usable } from "../arguments.js";
import { named } from "../citations.js";
import { addCall, addData, addText, isRecord, isText } from "./collected.js";

export const stream = {
  takes: {
    "text-delta": (found, { delta }) => isText(delta) && addText(found, delta),
    "reasoning-delta": (found, { delta }) => isText(delta) && (found.thinking += delta),
    "tool-call": (found, part, parts) => {
      found.texts ??= texts(parts);
      if (part.providerExecuted || !valid(part, found.texts)) return;
      addCall(found, idOf(part), first(part, "toolName", "name"), input(part).value);
    },
    file: (found, { mediaType, data }) => {
      const bytes = isRecord(data) ? data.data : data;
      if (isText(bytes)) addData(found, String(mediaType), bytes);
    },
    source: (found, part) => {
      const citation = source(part);
      if (citation) found.citations.push(citation);
    },
  },

  ended(parts, end) {
    if (end.outcome === null) return end;
    const finish = parts.findLast((part) => part?.type === "finish") ?? {};
    const errors = parts.filter((part) => isRecord(part) && part.type === "error");
    const said = end.finish || reason(first(finish, "finishReason", "reason"));
    const error = errors.length > 0 ? failure(errors[0].error ?? null) : invalid(parts);
    const failed = error !== null || said === "error";
    return {
      outcome: end.outcome === "completed" && failed ? "failed" : end.outcome,
      finish: said,
      usage: end.usage && Object.keys(end.usage).length > 0 ? end.usage : usage(finish.usage),
      error: end.error ?? error,
    };
  },
};

function first(part, ...names) {
  const name = names.find((each) => Object.hasOwn(part, each));
  return name && part[name];
}

function idOf(part) {
  return first(part, "toolCallId", "id");
}

/** The ids of the calls of custom tools, whose input is text. */
function texts(parts) {
  const starts = parts.filter((part) => isRecord(part) && part.type === "tool-input-start");
  const begun = starts.filter(({ inputEncoding }) => inputEncoding === "text");
  return new Set(begun.map(({ id }) => id).filter(isText));
}

/** Whether the input has the type that its tool needs: an object, or text for a custom tool. */
function valid(part, textIds) {
  const read = input(part);
  if (!textIds.has(idOf(part))) return usable(read);
  return read.kind === "not an object" && isText(read.value);
}

/** The input of a call. Effect's is parsed already, and left out where it is empty. */
function input(part) {
  if (Object.hasOwn(part, "params")) return readValue(part.params);
  if (!Object.hasOwn(part, "toolCallId")) return readValue({});
  return readArguments(part.input ?? null);
}

/** The citation of a source part; a document's ids are in the metadata of providers that agree. */
function source(part) {
  const metadata = first(part, "providerMetadata", "metadata");
  const providers = isRecord(metadata) ? Object.values(metadata).filter(isRecord) : [];
  const citation = named({
    fileId: agreed(providers, "fileId"),
    containerId: agreed(providers, "containerId"),
    ...picked(part, "url", "title", "filename", "fileName"),
  });
  // The vocabulary requires a title for a document, so providers put the file's name or id there.
  if (citation && citation.title === (citation.filename || citation.file_id)) delete citation.title;
  return citation && Object.keys(citation).length > 0 ? citation : undefined;
}

/** The one text that providers have for a name; undefined if there are two, or none. */
function agreed(providers, name) {
  const own = providers.filter((each) => Object.hasOwn(each, name)).map((each) => each[name]);
  const texts = new Set(own.filter((each) => typeof each === "string" && each));
  return texts.size === 1 ? [...texts][0] : undefined;
}

function picked(from, ...names) {
  return Object.fromEntries(
    names.filter((name) => Object.hasOwn(from, name)).map((name) => [name, from[name]]),
  );
}

/** The host's own error for calls whose input it cannot parse; null if there are none. */
function invalid(parts) {
  const calls = parts.filter((part) => isRecord(part) && part.type === "tool-call");
  const textIds = texts(parts);
  if (calls.every((part) => valid(part, textIds))) return null;
  return { kind: "decode", message: "the input of a call is no JSON object", code: "" };
}

/** The failure in an `error` part: message and code, from the error or one nested in it. */
function failure(error) {
  if (!isRecord(error)) {
    return { kind: "upstream", message: isText(error) ? error : spaced(error), code: "" };
  }
  const all = layers(error);
  const text = (name) => all.map((each) => each[name]).find((each) => isText(each) && each) ?? "";
  return { kind: "upstream", message: text("message") || spaced(error), code: text("code") };
}

/** An error and the errors nested in it, outermost first. */
function layers(error) {
  const inner = ["error", "response", "data", "cause"].map((name) => error[name]).filter(isRecord);
  return [error, ...inner.flatMap(layers)];
}

/** Reasons of providers that a reading does not have, with the finishes that replace them. */
const REASONS = new Map([
  ["unknown", "other"],
  ["pause", "other"],
  ["interrupted", "error"],
]);

function reason(said) {
  const unified = isRecord(said) ? said.unified : said;
  return isText(unified) ? (REASONS.get(unified) ?? unified) : null;
}

/** Input and output tokens, if reported; null if neither is. */
function usage(said) {
  if (!isRecord(said)) return null;
  const sides = { input: said.inputTokens, output: said.outputTokens };
  const totals = Object.entries(sides).map(([side, t]) => [side, isRecord(t) ? t.total : t]);
  const known = totals.filter(([, total]) => Number.isInteger(total));
  return known.length > 0 ? Object.fromEntries(known) : null;
}

/** JSON on one line, with a space after each comma and colon. */
function spaced(value) {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(
    ([key, each]) => `${JSON.stringify(key)}: ${spaced(each)}`,
  );
  return `{${fields.join(", ")}}`;
}
