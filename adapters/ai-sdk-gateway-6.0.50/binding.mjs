/** Binds ai and @ai-sdk/gateway: emits the parts of `streamText().fullStream`. */

import { createGateway } from "@ai-sdk/gateway";
import * as ai from "ai";

import { bindGateway } from "../full-stream.mjs";

bindGateway(import.meta.url, ai, createGateway);
