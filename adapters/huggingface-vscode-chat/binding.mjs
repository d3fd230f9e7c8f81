/**
 * The Hugging Face provider for Copilot Chat in the host of VS Code extensions, unmodified: chat
 * completions in, parts of the vocabulary `vscode` out. Its URL is fixed, so the host leads its
 * requests to the mock. It offers models by the providers that its own router lists, and the mock's
 * list has none, so the model is the run's.
 */

import { provideExtension } from "../extension.mjs";

provideExtension(import.meta.url, {
  dialects: ["chat"],
  secrets: { "huggingface.apiKey": "apiKey" },
  upstreams: { "https://router.huggingface.co/v1": "baseUrl" },
  model: (_, { model }) => ({ id: model, maxInputTokens: 112_000, maxOutputTokens: 16_000 }),
});
