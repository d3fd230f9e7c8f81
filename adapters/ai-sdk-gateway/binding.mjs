/** Binds ai and @ai-sdk/gateway: emits the parts of `streamText().stream`. */

import { createGateway } from "@ai-sdk/gateway";
import * as ai from "ai";

import { bindGateway } from "../full-stream.mjs";

bindGateway(import.meta.url, ai, createGateway);
