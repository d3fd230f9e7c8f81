/** A published extension, in its checkout, as an adapter in the host of VS Code extensions. */

import { provideInVscode } from "../node/vscode.js";
import { checkedOut } from "./checkout.mjs";

/**
 * Serves the extension that a binding's `checkout.json` names; `binding` is the `import.meta.url` of
 * its module. The options are those of `provideInVscode` that say how the extension is configured.
 */
export function provideExtension(binding, options) {
  const { folder, implementation } = checkedOut(binding);
  const known = { name: "streamproof binding", version: "1", implementation, extension: folder };
  provideInVscode({ ...known, ...options });
}
