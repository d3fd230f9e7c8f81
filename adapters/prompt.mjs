/**
 * Converts the messages of a run to the prompt of a language model of the AI SDK.
 *
 * An assistant's message goes back as the SDK's core joins it from parts: texts and reasoning by
 * their ids, each with its provider's metadata, the calls that the host could run, and the calls of
 * the provider with their final results.
 */

import { runs } from "./conversation.mjs";
import { output as outputOf } from "./provider-tools.mjs";

export function prompt(messages) {
  const names = new Map();
  return messages.map((message) => SAID[message.role](message, names));
}

const SAID = {
  system: ({ role, content }) => ({ role, content }),
  user: ({ role, content }) => ({ role, content: [{ type: "text", text: content }] }),
  assistant: ({ role, content }, names) => ({ role, content: said(content, names) }),
  tool: ({ role, callId: toolCallId, content, output: hosted }, names) => {
    const output = hosted ? outputOf(hosted) : { type: "text", value: content };
    const result = { type: "tool-result", toolCallId, toolName: names.get(toolCallId), output };
    return { role, content: [result] };
  },
  approval: ({ approvalId, approve: approved, reason }) => {
    const answer = { type: "tool-approval-response", approvalId, approved };
    return { role: "tool", content: [{ ...answer, ...(reason && { reason }) }] };
  },
};

function said(parts, names) {
  const open = new Map();
  const content = [];
  const texts = new Set(parts.filter((part) => part.inputEncoding === "text").map(({ id }) => id));
  for (const { type, id, delta, providerMetadata: providerOptions, ...part } of parts) {
    const [kind, step] = /^(text|reasoning)-(.*)$/.exec(type)?.slice(1) ?? [];
    if (step === "start") open.set(kind + id, content[content.push({ type: kind, text: "" }) - 1]);
    const piece = open.get(kind + id);
    if (piece && providerOptions) piece.providerOptions = providerOptions;
    if (piece && step === "delta") piece.text += delta;
    const { toolCallId, toolName, input, providerExecuted } = part;
    if (runs({ type, ...part }) || (type === "tool-call" && texts.has(toolCallId))) {
      names.set(toolCallId, toolName);
      const called = { type, toolCallId, toolName, input: JSON.parse(input || "{}") };
      content.push({ ...called, ...(providerExecuted && { providerExecuted }), providerOptions });
    } else if (type === "tool-result" && !part.preliminary) {
      const output = { type: "json", value: part.result };
      content.push({ type, toolCallId, toolName, output, providerOptions });
    }
  }
  return content;
}
