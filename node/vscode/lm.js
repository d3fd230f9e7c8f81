/** `vscode.lm`: registers the providers of the current run. */

import { CancellationTokenSource, Disposable, never } from "./events.js";
import { open } from "./missing.js";
import { session } from "./session.js";

/** Registers a provider for the current run. Throws Error if the manifest lacks the vendor. */
function registerLanguageModelChatProvider(vendor, provider) {
  const { providers, vendors } = session();
  if (vendors && !vendors.includes(vendor)) {
    throw new Error(
      `the vendor '${vendor}' is not in the manifest: contributes.languageModelChatProviders has ` +
        `${vendors.join(", ") || "none"}`,
    );
  }
  providers.set(vendor, provider);
  return new Disposable(() => providers.delete(vendor));
}

function registerTool(name, tool) {
  const { tools } = session();
  tools.set(name, tool);
  return new Disposable(() => tools.delete(name));
}

/** Invokes a tool that the extension registered. */
async function invokeTool(name, options, token = new CancellationTokenSource().token) {
  const tool = session().tools.get(name);
  if (!tool) throw new Error(`vscode.lm.invokeTool: no tool '${name}' is registered in this host`);
  return tool.invoke(options, token);
}

export const lm = open("lm", {
  invokeTool,
  onDidChangeChatModels: never,
  registerLanguageModelChatProvider,
  registerMcpServerDefinitionProvider: never,
  registerTool,
  selectChatModels: async () => [],
  get tools() {
    return [...session().tools.keys()].map((name) => ({ name, description: "", tags: [] }));
  },
});
