/**
 * What a run of drive/1 asks for, in the shapes that the APIs have for it.
 *
 * In the messages of a run an answer is the parts that the binding emitted, in the vocabulary
 * `stream`: its text goes back as one text, its calls under the upstream's own ids, and whatever
 * else it had stays here.
 */

/** The messages and the tools of a run, as a request has them. */
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

/** The messages as the items that the Responses API has for them. */
export function items(messages) {
  return messages.map(message).flatMap(({ role, content, tool_call_id, tool_calls = [] }) => {
    if (role === "tool") return { type: "function_call_output", call_id: tool_call_id, output: content };
    const calls = tool_calls.map(({ id: call_id, function: called }) => {
      return { type: "function_call", call_id, ...called };
    });
    return [...(content ? [{ role, content }] : []), ...calls];
  });
}

/** A host runs no call whose arguments it cannot parse. */
export function runs({ type, input }) {
  if (type !== "tool-call") return false;
  try {
    return typeof JSON.parse(input || "{}") === "object";
  } catch {
    return false;
  }
}

function call({ toolCallId: id, toolName: name, input }) {
  return { id, type: "function", function: { name, arguments: input } };
}

/** A function, a custom tool, or one of the upstream's own. */
function tool({ type = "function", name, description, inputSchema: parameters, options }) {
  if (type === "function") return { type, function: { name, description, parameters } };
  return type === "custom" ? { type, custom: { name, description } } : { type, ...options };
}
