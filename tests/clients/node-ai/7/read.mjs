import * as gateway from "@ai-sdk/gateway";
import * as ai from "ai";

import { answer } from "../read.mjs";

await answer(ai, gateway);
