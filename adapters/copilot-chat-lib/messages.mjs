/**
 * Converts the conversation to Copilot Chat's raw messages, which the library converts to a request. An
 * assistant's message has the text, the calls and the reasoning of the deltas that were emitted.
 */

import { Raw, rawMessageToCAPI } from "./internal.mjs";

const { Assistant, System, Tool, User } = Raw.ChatRole;
const { Opaque, Text } = Raw.ChatCompletionContentPartKind;

export function messagesOf(messages) {
  return rawMessageToCAPI(messages.map((message) => RAW[message.role](message)), think);
}

const said = (text) => [{ type: Text, text }];

const RAW = {
  system: ({ content }) => ({ role: System, content: said(content) }),
  user: ({ content }) => ({ role: User, content: said(content) }),
  tool: ({ callId, content }) => ({ role: Tool, toolCallId: callId, content: said(content) }),
  assistant: ({ content: parts }) => {
    const deltas = parts.filter(({ type }) => type === "delta").map(({ delta }) => delta);
    const content = said(deltas.map(({ text }) => text).join(""));
    const thinking = thought(deltas.flatMap(({ thinking }) => thinking ?? []));
    if (thinking) content.push({ type: Opaque, value: { type: "thinking", thinking } });
    const calls = deltas.flatMap(({ copilotToolCalls }) => copilotToolCalls ?? []);
    return { role: Assistant, content, ...(calls.length && { toolCalls: calls.map(call) }) };
  },
};

const call = ({ id, name, arguments: text }) => ({
  id,
  type: "function",
  function: { name, arguments: text },
});

/** Joins pieces of reasoning: all of their text, and the last id. */
function thought(pieces) {
  if (pieces.length === 0) return undefined;
  const text = pieces.flatMap(({ text }) => text ?? []).join("");
  return { id: pieces.findLast(({ id }) => id)?.id, text };
}

/** Adds reasoning to a message as the library's own endpoint does (copilotChatEndpoint.js). */
function think(message, { id, text }) {
  if (id) Object.assign(message, { reasoning_opaque: id, reasoning_text: text });
}
