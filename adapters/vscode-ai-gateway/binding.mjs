/**
 * The extension vscode-ai-gateway in the host of VS Code extensions, unmodified: OpenResponses in,
 * parts of the vocabulary `vscode` out. Its setting leads it to the mock; the key of the run is
 * that of the session which its own authentication provider keeps.
 */

import { provideInVscode } from "../../node/vscode.js";
import { checkedOut, sessionsOf } from "../checkout.mjs";

const { folder, implementation } = checkedOut(import.meta.url);

provideInVscode({
  name: "streamproof binding",
  version: "1",
  implementation,
  extension: folder,
  dialects: ["openresponses"],
  settings: { "vercel.ai.endpoint": ({ baseUrl }) => baseUrl.replace(/\/v1$/, "") },
  secrets: { "vercel.ai.sessions": sessionsOf, "vercel.ai.activeSession": () => "s" },
});
