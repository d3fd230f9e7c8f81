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

/** The conversation; a tool's result is in a user's message, as in the editor. */
export function messagesOf(messages) {
  return messages.map((message) => {
    const { role, content } = MESSAGES[message.role](message);
    return { role, content, name: undefined };
  });
}

/** The options, without `max_retries`: a provider decides about retries itself. */
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

/** Only functions: the editor has no other tools. */
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
