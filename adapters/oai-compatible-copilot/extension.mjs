/** The extension OAI Compatible in the host of VS Code extensions, for either of its two APIs. */

import { provideInVscode } from "../../node/vscode.js";
import { checkedOut } from "../checkout.mjs";

/** Serves it with one model of the run's name, which uses the API `apiMode`. */
export function provide(dialect, apiMode) {
  const { folder, implementation } = checkedOut(import.meta.url);
  provideInVscode({
    name: "streamproof binding",
    version: "1",
    implementation,
    extension: folder,
    dialects: [dialect],
    settings: {
      "oaicopilot.baseUrl": "baseUrl",
      "oaicopilot.models": ({ model }) => [{ id: model, owned_by: "mock", apiMode }],
    },
    secrets: { "oaicopilot.apiKey": "apiKey" },
  });
}
