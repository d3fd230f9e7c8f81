/**
 * The parts that a provider of the AI SDK streams, and Effect's beside them. They say themselves
 * how the response ended: `finish` has its reason and usage, an `error` is a failure whatever the
 * run's own ending says. A call that the provider has executed itself is none of the host's, and one
 * whose input is no JSON object is none at all: the host parses it, and tells that it could not. A
 * custom tool is called with a text, a JSON string; that it is one says the beginning of the input.
 */

import { readArguments, readValue, usable } from "../arguments.js";
import { named } from "../citations.js";
import { spaced } from "../spaced.js";
import { addCall, addData, addText, isRecord, isText } from "./found.js";

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
    const error = errors.length > 0 ? told(errors[0].error ?? null) : invalid(parts);
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

/** The ids of the calls whose input begins as a text: those of custom tools. */
function texts(parts) {
  const starts = parts.filter((part) => isRecord(part) && part.type === "tool-input-start");
  const begun = starts.filter(({ inputEncoding }) => inputEncoding === "text");
  return new Set(begun.map(({ id }) => id).filter(isText));
}

/** Whether the input is what the tool takes: an object for a function, text for a custom tool. */
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

/** The source of a part; what identifies a document stands in its provider's metadata. */
function source(part) {
  const metadata = first(part, "providerMetadata", "metadata");
  const providers = isRecord(metadata) ? Object.values(metadata).filter(isRecord) : [];
  const known = Object.assign({}, ...providers);
  const citation = named({
    ...picked(known, "fileId", "containerId"),
    ...picked(part, "url", "title", "filename", "fileName"),
  });
  // A document has to have a title here, so that a name has to serve.
  if (citation && citation.title === citation.filename) delete citation.title;
  return citation && Object.keys(citation).length > 0 ? citation : undefined;
}

function picked(from, ...names) {
  return Object.fromEntries(
    names.filter((name) => Object.hasOwn(from, name)).map((name) => [name, from[name]]),
  );
}

/** What the host itself makes of a call that it cannot parse. */
function invalid(parts) {
  const calls = parts.filter((part) => isRecord(part) && part.type === "tool-call");
  const textIds = texts(parts);
  if (calls.every((part) => valid(part, textIds))) return null;
  return { kind: "decode", message: "the input of a call is no JSON object", code: "" };
}

/** What an error says: itself, or the error inside it. */
function told(error) {
  if (!isRecord(error)) {
    return { kind: "upstream", message: isText(error) ? error : spaced(error), code: "" };
  }
  const all = layers(error);
  const text = (name) => all.map((each) => each[name]).find((each) => isText(each) && each) ?? "";
  return { kind: "upstream", message: text("message") || spaced(error), code: text("code") };
}

/** An error and those that it was made of, outermost first. */
function layers(error) {
  const inner = ["error", "response", "data", "cause"].map((name) => error[name]).filter(isRecord);
  return [error, ...inner.flatMap(layers)];
}

/** A stream that broke off ("interrupted", V4) is told by its reason, as an error is. */
const REASONS = new Map([
  ["unknown", "other"],
  ["pause", "other"],
  ["interrupted", "error"],
]);

function reason(said) {
  const unified = isRecord(said) ? said.unified : said;
  return isText(unified) ? (REASONS.get(unified) ?? unified) : null;
}

/** Tokens of either side, as far as they are told. */
function usage(said) {
  if (!isRecord(said)) return null;
  const sides = { input: said.inputTokens, output: said.outputTokens };
  const totals = Object.entries(sides).map(([side, t]) => [side, isRecord(t) ? t.total : t]);
  const known = totals.filter(([, total]) => Number.isInteger(total));
  return known.length > 0 ? Object.fromEntries(known) : null;
}
