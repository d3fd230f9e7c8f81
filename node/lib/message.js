/** A message of the kit's as the adapter sees it. */

/** Names as in JavaScript, messages and options as they came. */
export function told(message) {
  return {
    id: message.id,
    dialect: message.dialect,
    baseUrl: message.base_url,
    apiKey: message.api_key,
    model: message.model,
    messages: message.messages,
    tools: message.tools.map(({ input_schema: inputSchema, ...tool }) => ({
      ...tool,
      inputSchema,
    })),
    ...(message.storage && { storage: message.storage }),
    deadlineMs: message.deadline_ms,
  };
}
