/** The extension OAI Compatible in the host of VS Code extensions, for either of its two APIs. */

import { provideExtension } from "../extension.mjs";

/** Serves it with one model of the run's name, which uses the API `apiMode`. */
export function provide(dialect, apiMode) {
  provideExtension(import.meta.url, {
    dialects: [dialect],
    settings: {
      "oaicopilot.baseUrl": "baseUrl",
      "oaicopilot.models": ({ model }) => [{ id: model, owned_by: "mock", apiMode }],
    },
    secrets: { "oaicopilot.apiKey": "apiKey" },
  });
}
