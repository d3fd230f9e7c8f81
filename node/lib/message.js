/** Converts a message of the kit to the object that the adapter gets. */

/** A run or a count with names in camel case; messages are passed on unchanged. */
export function asRun(message) {
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
