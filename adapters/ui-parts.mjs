/** Converts the successive versions of a UI message to parts, each part once. */

/** Returns a generator function: it takes the next version of the message, and yields new parts. */
export function told() {
  const known = [];
  return function* news({ parts }) {
    for (const [n, part] of parts.entries()) {
      known[n] ??= { id: String(n), said: new Set(), length: 0 };
      yield* (KINDS[part.type] ?? kind(part))(part, known[n]);
    }
  };
}

function kind({ type }) {
  if (type === "dynamic-tool" || type.startsWith("tool-")) return tool;
  return type.startsWith("data-") ? data : nothing;
}

const KINDS = {
  text: growing,
  reasoning: growing,
  file: once(({ mediaType, url }) => ({ type: "file", mediaType, data: bytes(url) })),
  "source-url": once(({ sourceId: id, ...source }) => {
    return { ...source, type: "source", sourceType: "url", id };
  }),
  "source-document": once(({ sourceId: id, ...source }) => {
    return { ...source, type: "source", sourceType: "document", id };
  }),
};

function* nothing() {}

/** Whether `what` is to be emitted for the first time for this part; records it. */
function first({ said }, what) {
  return !said.has(what) && said.add(what);
}

function once(part) {
  return function* (held, known) {
    if (first(known, "part")) yield part(held);
  };
}

function* growing({ type, text, state, providerMetadata }, known) {
  const { id } = known;
  if (first(known, "start")) yield { type: `${type}-start`, id };
  const delta = text.slice(known.length);
  known.length = text.length;
  if (delta) yield { type: `${type}-delta`, id, delta };
  if (state === "done" && first(known, "end")) yield { type: `${type}-end`, id, providerMetadata };
}

/** Yields the start, the call and each result of a tool; an invalid call keeps its raw input. */
function* tool(part, known) {
  const { type, toolCallId, state, providerExecuted, preliminary, output, errorText } = part;
  const call = { toolCallId, toolName: part.toolName ?? type.slice("tool-".length), providerExecuted };
  if (state === "input-streaming") {
    if (first(known, "start")) yield { type: "tool-input-start", id: toolCallId, ...call };
    return;
  }
  if (first(known, "call")) yield { type: "tool-call", ...call, input: written(part) };
  if (state === "output-available" && first(known, JSON.stringify([output, preliminary]))) {
    yield { type: "tool-result", ...call, result: output, preliminary };
  }
  if (state === "output-error" && first(known, "result")) {
    yield { type: "tool-result", ...call, result: errorText, isError: true };
  }
}

function written({ state, input, rawInput = input }) {
  const invalid = state === "output-error" && typeof rawInput === "string";
  return invalid ? rawInput : JSON.stringify(state === "output-error" ? rawInput : input);
}

/** Yields the application's own data as a file part of JSON, each value once. */
function* data({ type, data: value }, known) {
  const text = JSON.stringify(value);
  const mediaType = `application/vnd.vercel.${type.slice("data-".length)}+json`;
  if (first(known, text)) yield { type: "file", mediaType, data: Buffer.from(text).toString("base64") };
}

function bytes(url) {
  const [, data] = /^data:[^,]*;base64,(.*)$/s.exec(url) ?? [];
  return data ?? { type: "url", url };
}
