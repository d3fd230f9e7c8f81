/** The extension OAI Compatible in the host of VS Code extensions, for either of its two APIs. */

import { provideExtension } from "../extension.mjs";

/**
 * Serves it with one model of the run's name, which uses the API `apiMode`. The options of a run are
 * the model's `extra`, which the extension documents for fields of the request.
 */
export function provide(dialect, apiMode) {
  provideExtension(import.meta.url, {
    dialects: [dialect],
    settings: {
      "oaicopilot.baseUrl": "baseUrl",
      "oaicopilot.models": ({ model, options: { max_retries: _, ...extra } }) => [
        { id: model, owned_by: "mock", apiMode, extra },
      ],
    },
    secrets: { "oaicopilot.apiKey": "apiKey" },
  });
}
