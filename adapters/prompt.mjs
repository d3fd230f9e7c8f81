/**
 * Converts the messages of a run to the prompt of a language model of the AI SDK.
 *
 * An assistant's message goes back as the SDK's core joins it from parts: texts and reasoning by
 * their ids, each with its provider's metadata, and the calls that the host could run.
 */

import { runs } from "./conversation.mjs";

export function prompt(messages) {
  const names = new Map();
  return messages.map((message) => SAID[message.role](message, names));
}

const SAID = {
  system: ({ role, content }) => ({ role, content }),
  user: ({ role, content }) => ({ role, content: [{ type: "text", text: content }] }),
  assistant: ({ role, content }, names) => ({ role, content: said(content, names) }),
  tool: ({ role, callId: toolCallId, content }, names) => {
    const output = { type: "text", value: content };
    const result = { type: "tool-result", toolCallId, toolName: names.get(toolCallId), output };
    return { role, content: [result] };
  },
};

function said(parts, names) {
  const open = new Map();
  const content = [];
  for (const { type, id, delta, providerMetadata: providerOptions, ...part } of parts) {
    const [kind, step] = /^(text|reasoning)-(.*)$/.exec(type)?.slice(1) ?? [];
    if (step === "start") open.set(kind + id, content[content.push({ type: kind, text: "" }) - 1]);
    const piece = open.get(kind + id);
    if (piece && providerOptions) piece.providerOptions = providerOptions;
    if (piece && step === "delta") piece.text += delta;
    if (!runs({ type, ...part })) continue;
    const { toolCallId, toolName, input } = part;
    names.set(toolCallId, toolName);
    content.push({ type, toolCallId, toolName, input: JSON.parse(input || "{}"), providerOptions });
  }
  return content;
}
