/**
 * The first extension for Vercel's AI Gateway in the host of VS Code extensions, unmodified: the
 * gateway's stream in, parts of the vocabulary `vscode` out. Its URL is fixed, so the host leads
 * its requests to the mock. The mock lists no models for it, so the model is the run's.
 */

import { sessionsOf } from "../checkout.mjs";
import { provideExtension } from "../extension.mjs";

provideExtension(import.meta.url, {
  dialects: ["vercel-gateway"],
  secrets: { "vercelAiGateway.sessions": sessionsOf, "vercelAiGateway.activeSession": () => "s" },
  upstreams: {
    "https://ai-gateway.vercel.sh/v1": "baseUrl",
    "https://ai-gateway.vercel.sh/v1/ai": "baseUrl",
  },
  model: (_, { model }) => ({ id: model, maxInputTokens: 112_000, maxOutputTokens: 16_000 }),
});
