/** `vscode.lm`: registers the providers of the current run. */

import { Disposable, never } from "./events.js";
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

export const lm = open("lm", {
  registerLanguageModelChatProvider,
  registerTool: never,
  selectChatModels: async () => [],
  onDidChangeChatModels: never,
  tools: [],
});
