/** OAI Compatible for the Responses API: OpenResponses in, parts of the vocabulary `vscode` out. */

import { provide } from "./extension.mjs";

provide("openresponses", "openai-responses");
