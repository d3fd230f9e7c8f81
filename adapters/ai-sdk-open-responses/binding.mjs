/** Binds the model of @ai-sdk/open-responses: emits the parts of its `doStream()`. */

import { createOpenResponses, VERSION as version } from "@ai-sdk/open-responses";

import { bind } from "../language-model.mjs";

bind({ name: "@ai-sdk/open-responses", version }, ({ baseUrl, apiKey, model }) =>
  createOpenResponses({ name: "upstream", url: `${baseUrl}/responses`, apiKey })(model),
);
