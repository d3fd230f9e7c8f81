/**
 * The extension vscode-ai-gateway in the host of VS Code extensions, unmodified: OpenResponses in,
 * parts of the vocabulary `vscode` out. Its setting leads it to the mock; the key of the run is
 * that of the session which its own authentication provider keeps.
 */

import { sessionsOf } from "../checkout.mjs";
import { provideExtension } from "../extension.mjs";

provideExtension(import.meta.url, {
  dialects: ["openresponses"],
  settings: { "vercel.ai.endpoint": ({ baseUrl }) => baseUrl.replace(/\/v1$/, "") },
  secrets: { "vercel.ai.sessions": sessionsOf, "vercel.ai.activeSession": () => "s" },
});
