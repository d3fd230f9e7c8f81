// Models in the four specifications of the AI SDK, which stream given parts of LanguageModelV3.
//
// Source: @ai-sdk/provider (LanguageModelV1StreamPart to V4).

/**
 * Models by specification; each streams `steps`, and fails if there are none. With `abortAfter`, the call
 * is aborted after so many parts.
 */
export const MODELS = {
  v1: (played) => model(played, toV1),
  v2: (played) => model(played, toV2),
  v3: (played) => model(played, toV3),
  v4: (played) => model(played, toV4),
};

const SPECIFICATIONS = new Map([[toV1, "v1"], [toV2, "v2"], [toV3, "v3"], [toV4, "v4"]]);

function model({ steps, ...played }, converter) {
  let step = 0;
  return {
    specificationVersion: SPECIFICATIONS.get(converter),
    provider: "mock",
    modelId: "mock",
    supportedUrls: {},
    async doStream() {
      if (!steps[step]) throw new Error("Refused.");
      const stream = streamOf(steps[step++].slice(0, played.abortAfter).flatMap(converter()), played);
      return { stream, warnings: [], rawCall: { rawPrompt: null, rawSettings: {} } };
    },
  };
}

function streamOf(parts, { signal, abortAfter, abort }) {
  let sent = 0;
  return new ReadableStream({
    async pull(controller) {
      if (sent < parts.length) return controller.enqueue(parts[sent++]);
      if (abortAfter === undefined) return controller.close();
      setTimeout(abort, 20);
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      controller.error(signal.reason);
    },
  });
}

function toV3() {
  return (part) => [dated(part)];
}

/** Parts of V4, which has pings: one when the response has begun. */
function toV4() {
  return (part) => {
    const bytes = part.type === "file" && { data: { type: "data", data: part.data } };
    const pings = part.type === "response-metadata" ? [{ type: "ping" }] : [];
    return [{ ...dated(part), ...bytes }, ...pings];
  };
}

function toV2() {
  return ({ preliminary, dynamic, ...part }) => {
    if (part.type !== "finish") return [dated(part)];
    const { finishReason, usage: { inputTokens: input, outputTokens: output }, ...rest } = part;
    const usage = {
      inputTokens: input.total,
      outputTokens: output.total,
      totalTokens: input.total === undefined ? undefined : input.total + output.total,
      reasoningTokens: output.reasoning,
      cachedInputTokens: input.cacheRead,
    };
    return [{ ...rest, finishReason: finishReason.unified, usage }];
  };
}

/** Parts of V1, which has no blocks: deltas of a call have its name, and reasoning ends unsigned. */
function toV1() {
  const names = new Map();
  return (part) => {
    const { type, id, delta, toolName } = part;
    if (type === "tool-input-start") names.set(id, toolName);
    return (V1[type] ?? (() => []))(part, { toolCallType: "function", toolCallId: id, toolName: names.get(id), delta });
  };
}

const V1 = {
  "response-metadata": (part) => [dated(part)],
  "text-delta": ({ type, delta }) => [{ type, textDelta: delta }],
  "reasoning-delta": ({ delta }) => [{ type: "reasoning", textDelta: delta }],
  "reasoning-end": ({ providerMetadata }) => {
    const signature = providerMetadata?.openai?.reasoningEncryptedContent;
    return signature ? [{ type: "reasoning-signature", signature }] : [];
  },
  "tool-input-delta": (_, { delta, ...call }) => [{ type: "tool-call-delta", ...call, argsTextDelta: delta }],
  "tool-call": ({ type, toolCallId, toolName, input: args }) => {
    return [{ type, toolCallType: "function", toolCallId, toolName, args }];
  },
  "reasoning-start": ({ providerMetadata }) => {
    const data = providerMetadata?.anthropic?.redactedData;
    return data ? [{ type: "redacted-reasoning", data }] : [];
  },
  source: ({ type, ...source }) => [{ type, source }],
  file: ({ type, mediaType, data }) => [{ type, mimeType: mediaType, data }],
  error: (part) => [part],
  finish: ({ type, finishReason, usage: { inputTokens, outputTokens } }) => {
    const usage = { promptTokens: inputTokens.total ?? NaN, completionTokens: outputTokens.total ?? NaN };
    return [{ type, finishReason: finishReason.unified, usage }];
  },
};

function dated({ timestamp, ...part }) {
  return timestamp ? { ...part, timestamp: new Date(timestamp) } : part;
}
