/** Converts a run to the request that the extension host sends to a provider. */

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
