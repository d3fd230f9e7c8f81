/**
 * Offers the hosted tools of a run as the tools of @ai-sdk/openai, and converts their results to the
 * outputs of these tools. Both have the fields of the Responses API in camel case.
 */

const FACTORIES = {
  apply_patch: "applyPatch",
  code_interpreter: "codeInterpreter",
  computer: "computer",
  custom: "customTool",
  file_search: "fileSearch",
  image_generation: "imageGeneration",
  local_shell: "localShell",
  mcp: "mcp",
  shell: "shell",
  tool_search: "toolSearch",
  web_search: "webSearch",
  web_search_preview: "webSearchPreview",
};

/** A tool of `openai.tools` for users of the SDK's core; undefined if there is none. */
export function made({ type, name, description, options = {} }, tools) {
  const { ranking_options: ranking, environment: where, ...args } = options;
  if (type === "custom") Object.assign(args, { name, description });
  if (ranking) args.ranking = ranking;
  if (where) args.environment = { ...where, type: camel(where.type) };
  return tools[FACTORIES[type]]?.(camelCase(args));
}

/** A tool of `openai.tools` as the SDK's core gives it to the model; undefined if there is none. */
export function offered(tool, tools) {
  const { type, id, args } = made(tool, tools) ?? {};
  return type && { type, id, name: tool.name, args };
}

/** The options of a run as the SDK has them: nearly all are options of its provider. */
export function settings({ options: { max_retries: _, max_output_tokens: maxOutputTokens, reasoning, ...options } }) {
  const openai = camelCase(options);
  if (reasoning) {
    const { effort: reasoningEffort, summary: reasoningSummary } = reasoning;
    Object.assign(openai, { reasoningEffort, reasoningSummary, forceReasoning: true });
  }
  return { maxOutputTokens, providerOptions: { openai } };
}

/** The output of a hosted tool that the host has run, for a prompt of the model. */
export function output({ type, ...said }) {
  if (type === "custom_tool_call_output") return { type: "text", value: said.output };
  return { type: "json", value: camelCase(said) };
}

const camel = (word) => word.replace(/_(.)/g, (_, letter) => letter.toUpperCase());

/** A JSON value whose fields have names in camel case, at every depth. */
export function camelCase(value) {
  if (Array.isArray(value)) return value.map(camelCase);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [camel(key), camelCase(each)]));
}
