/**
 * Converts the messages and tools of a drive/1 run to requests of the APIs.
 *
 * In a run, an assistant's message is the parts that the binding emitted, in the vocabulary
 * `stream`. Its text goes back as one text and its calls with the upstream's ids; other parts do
 * not go back.
 */

/** The messages and tools of a chat completions request. */
export function chat({ messages, tools }) {
  return { messages: messages.map(message), ...(tools.length && { tools: tools.map(tool) }) };
}

function message({ role, content, callId }) {
  if (role === "tool") return { role, tool_call_id: callId, content };
  if (role !== "assistant") return { role, content };
  const calls = content.filter(runs).map(call);
  const deltas = content.filter(({ type }) => type === "text-delta");
  const text = deltas.map(({ delta }) => delta).join("");
  return { role, content: text || null, ...(calls.length && { tool_calls: calls }) };
}

/** The messages as input items of the Responses API. */
export function items(messages) {
  return messages.map(message).flatMap(({ role, content, tool_call_id, tool_calls = [] }) => {
    if (role === "tool") return { type: "function_call_output", call_id: tool_call_id, output: content };
    const calls = tool_calls.map(({ id: call_id, function: called }) => {
      return { type: "function_call", call_id, ...called };
    });
    return [...(content ? [{ role, content }] : []), ...calls];
  });
}

/** Whether a part is a call that a host would run: only if its input is JSON that holds an object. */
export function runs({ type, input }) {
  if (type !== "tool-call") return false;
  try {
    return Object.prototype.toString.call(JSON.parse(input || "{}")) === "[object Object]";
  } catch {
    return false;
  }
}

function call({ toolCallId: id, toolName: name, input }) {
  return { id, type: "function", function: { name, arguments: input } };
}

/** A tool of the request: a function, a custom tool, or one that the upstream runs. */
function tool({ type = "function", name, description, inputSchema: parameters, options }) {
  if (type === "function") return { type, function: { name, description, parameters } };
  return type === "custom" ? { type, custom: { name, description } } : { type, ...options };
}
