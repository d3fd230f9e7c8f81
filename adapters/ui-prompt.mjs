/**
 * Converts the messages of a run to UI messages: an answer with all of its steps is one message, and
 * the part of a tool has the call and its result.
 */

import { runs } from "./conversation.mjs";

// The media types in which the binding emits the application's own data.
const OWN_DATA = "application/vnd.vercel.";

export function uiMessages(messages) {
  const told = [];
  for (const { role, content, callId } of messages) {
    const answer = told.at(-1)?.role === "assistant" ? told.at(-1) : undefined;
    if (role === "tool") answered(answer, callId, content);
    else if (role !== "assistant") told.push(message(told, role, [{ type: "text", text: content }]));
    else if (answer) answer.parts.push(...said(content));
    else told.push(message(told, role, said(content)));
  }
  return told;
}

const message = ({ length }, role, parts) => ({ id: `m${length}`, role, parts });

function answered(answer, callId, output) {
  const called = answer?.parts.find(({ toolCallId, state }) => {
    return toolCallId === callId && state === "input-available";
  });
  if (called) Object.assign(called, { state: "output-available", output });
}

function said(parts) {
  const open = new Map();
  const content = [{ type: "step-start" }];
  for (const { type, id, delta, providerMetadata, ...part } of parts) {
    const [kind, step] = /^(text|reasoning)-(.*)$/.exec(type)?.slice(1) ?? [];
    if (step === "start") open.set(id, content[content.push({ type: kind, text: "" }) - 1]);
    if (step === "delta") open.get(id).text += delta;
    if (step === "end") Object.assign(open.get(id), { state: "done", providerMetadata });
    if (runs({ type, ...part })) content.push(call(part));
    if (type === "file" && !part.mediaType.startsWith(OWN_DATA)) content.push(file(part));
  }
  return content;
}

const file = ({ mediaType, data }) => ({
  type: "file",
  mediaType,
  url: data.url ?? `data:${mediaType};base64,${data}`,
});

function call({ toolCallId, toolName, input }) {
  return {
    type: `tool-${toolName}`,
    toolCallId,
    state: "input-available",
    input: JSON.parse(input || "{}"),
  };
}
