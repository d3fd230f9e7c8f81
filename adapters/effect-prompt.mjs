/**
 * Converts the messages of a run to a prompt of Effect's AI packages. An answer goes back as the
 * prompt that the library makes of its parts (`Prompt.fromResponseParts`), as its chat does.
 */

import { json } from "./json.mjs";

/** `prompt(messages)` of a run, and `remember(parts)` of an answer; `join` joins two prompts. */
export function conversation(Prompt, join) {
  const answers = new Map();
  return {
    remember(parts) {
      answers.set(JSON.stringify(parts.map(json)), Prompt.fromResponseParts(parts));
    },
    prompt(messages) {
      const names = new Map();
      const prompts = messages.map((message) => {
        const own = message.role === "assistant" && answers.get(JSON.stringify(message.content));
        for (const { id, name } of message.role === "assistant" ? message.content : []) names.set(id, name);
        return own || Prompt.make([SAID[message.role]?.(message, names) ?? message]);
      });
      return prompts.reduce((before, next) => join(before, next));
    },
  };
}

const SAID = {
  tool: ({ callId: id, content, output }, names) => {
    const { type: _, ...hosted } = output ?? {};
    const result = output ? hosted : value(content);
    const given = { id, name: names.get(id), isFailure: false, providerExecuted: false, result };
    return { role: "tool", content: [{ type: "tool-result", ...given }] };
  },
  approval: ({ approvalId, approve: approved, reason }) => {
    const answer = { type: "tool-approval-response", approvalId, approved };
    return { role: "tool", content: [{ ...answer, ...(reason && { reason }) }] };
  },
};

/** What a tool has returned: a value if its text is JSON. */
function value(content) {
  try {
    return JSON.parse(content);
  } catch {
    return content;
  }
}
