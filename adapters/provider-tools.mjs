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

/** A tool of `openai.tools` as the SDK's core gives it to the model; undefined if there is none. */
export function offered({ type, name, description, options = {} }, tools) {
  const factory = tools[FACTORIES[type]];
  const { ranking_options: ranking, environment, ...args } = options;
  const named = type === "custom" ? { name, description } : {};
  // The type of an environment is a name of the SDK's own, such as containerReference.
  const place = environment && { environment: { ...environment, type: camel(environment.type) } };
  const made = factory?.(camelCase({ ...named, ...args, ...place, ...(ranking && { ranking }) }));
  return made && { type: made.type, id: made.id, name, args: made.args };
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
