/**
 * Converts the messages and tools of a drive/1 run to requests of the APIs.
 *
 * In a run, an assistant's message is the parts that the binding emitted, in the vocabulary
 * `stream`. Its text goes back as one text and its calls with the upstream's ids; other parts do
 * not go back. A part that has an `item` of the Responses API goes back to it as that item.
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
  return messages.flatMap((each) => (ITEMS[each.role] ?? said)(each));
}

const ITEMS = {
  tool: ({ callId: call_id, content: output, output: hosted }) => {
    return { ...(hosted ?? { type: "function_call_output", output }), call_id };
  },
  approval: ({ approvalId: approval_request_id, approve, reason }) => {
    const answer = { type: "mcp_approval_response", approval_request_id, approve };
    return { ...answer, ...(reason && { reason }) };
  },
  assistant: ({ role, content: parts }) => {
    const functions = parts.filter(({ item, providerExecuted }) => !item && !providerExecuted);
    const { content, tool_calls = [] } = message({ role, content: functions });
    const calls = tool_calls.map(({ id: call_id, function: called }) => {
      return { type: "function_call", call_id, ...called };
    });
    const hosted = parts.flatMap(({ item }) => item ?? []);
    return [...(content ? [{ role, content }] : []), ...calls, ...hosted];
  },
};

const said = ({ role, content }) => ({ role, content });

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
