import * as ai from "ai";

import { record } from "../record.mjs";

await record(ai, "v3");
