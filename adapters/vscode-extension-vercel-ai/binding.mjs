/**
 * The first extension for Vercel's AI Gateway in the host of VS Code extensions, unmodified: the
 * gateway's stream in, parts of the vocabulary `vscode` out. Its URL is fixed, so the host leads
 * its requests to the mock. The mock lists no models for it, so the model is the run's.
 */

import { provideInVscode } from "../../node/vscode.js";
import { checkedOut, sessionsOf } from "../checkout.mjs";

const { folder, implementation } = checkedOut(import.meta.url);

provideInVscode({
  name: "streamproof binding",
  version: "1",
  implementation,
  extension: folder,
  dialects: ["vercel-gateway"],
  secrets: { "vercelAiGateway.sessions": sessionsOf, "vercelAiGateway.activeSession": () => "s" },
  upstreams: {
    "https://ai-gateway.vercel.sh/v1": "baseUrl",
    "https://ai-gateway.vercel.sh/v1/ai": "baseUrl",
  },
  model: (_, { model }) => ({ id: model, maxInputTokens: 112_000, maxOutputTokens: 16_000 }),
});
