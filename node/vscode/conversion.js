/**
 * Converts a run to the request that the extension host sends to a provider, and what the provider
 * reports to parts: by their class, checked in the editor's order.
 *
 * The editor drops parts that come after the cancellation, and with a warning those of unknown
 * classes. Here both go to the kit, the latter as parts of no vocabulary, so that the kit judges what
 * the editor hides.
 */

import { inspect } from "node:util";

import { base64 } from "../lib/base64.js";
import {
  LanguageModelChatMessageRole as Role,
  LanguageModelChatToolMode,
  LanguageModelDataPart,
  LanguageModelTextPart,
  LanguageModelThinkingPart,
  LanguageModelToolCallPart,
  LanguageModelToolResultPart,
} from "./parts.js";

/** The messages of the request; a tool result is in a user message, as in the editor. */
export function messagesOf(messages) {
  return messages.map((message) => {
    const { role, content } = MESSAGES[message.role](message);
    return { role, content, name: undefined };
  });
}

/** The options of the request, without `max_retries`: the provider decides about retries. */
export function optionsOf({ tools, options: { max_retries: _, ...modelOptions } }) {
  return {
    modelOptions,
    modelConfiguration: undefined,
    requestInitiator: "streamproof",
    toolMode: LanguageModelChatToolMode.Auto,
    tools: tools.filter(isFunction).map(({ name, description = "", inputSchema }) => ({
      name,
      description,
      inputSchema,
    })),
  };
}

/** Whether a tool is a function; the editor has no other tools. */
const isFunction = ({ type = "function" }) => type === "function";

const text = (value) => [new LanguageModelTextPart(value)];

const MESSAGES = {
  system: ({ content }) => ({ role: Role.System, content: text(content) }),
  user: ({ content }) => ({ role: Role.User, content: text(content) }),
  assistant: ({ content }) => ({ role: Role.Assistant, content: content.flatMap(part) }),
  tool: ({ callId, content }) => ({
    role: Role.User,
    content: [new LanguageModelToolResultPart(callId, text(content))],
  }),
};

const PARTS = {
  text: ({ value }) => text(value),
  toolCall: ({ callId, name, input }) => [new LanguageModelToolCallPart(callId, name, input)],
  data: ({ data, mimeType }) => [
    new LanguageModelDataPart(new Uint8Array(Buffer.from(data, "base64")), mimeType),
  ],
  thinking: ({ value, id, metadata }) =>
    LanguageModelThinkingPart ? [new LanguageModelThinkingPart(value, id, metadata)] : [],
};

function part(emitted) {
  return PARTS[emitted.type]?.(emitted) ?? [];
}

/** `progress`, to which the provider reports, and `late`, the number of parts that came too late. */
export function progressOf(run, emit, token) {
  let late = 0;
  return {
    progress: {
      report(part) {
        if (token.isCancellationRequested) late += 1;
        emit(known(part) ?? unknown(part, run));
      },
    },
    late: () => late,
  };
}

function known(part) {
  if (part instanceof LanguageModelToolCallPart) {
    return { type: "toolCall", callId: part.callId, name: part.name, input: part.input };
  }
  if (part instanceof LanguageModelTextPart) return { type: "text", value: part.value };
  if (part instanceof LanguageModelDataPart) {
    return { type: "data", mimeType: part.mimeType, data: bytes(part.data) };
  }
  if (LanguageModelThinkingPart && part instanceof LanguageModelThinkingPart) {
    return { type: "thinking", value: part.value, id: part.id, metadata: part.metadata };
  }
  return undefined;
}

function bytes(data) {
  return data instanceof Uint8Array ? base64(data) : inspect(data);
}

function unknown(part, { id }) {
  const name = part?.constructor?.name ?? inspect(part);
  console.error(`streamproof: run ${id} reported an UNKNOWN part, which VS Code drops: ${name}`);
  return part instanceof LanguageModelToolResultPart
    ? { type: "toolResult", callId: part.callId, content: part.content }
    : { type: "unknown", is: inspect(part, { depth: 1 }).slice(0, 200) };
}
