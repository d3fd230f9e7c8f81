export { Unsupported } from "./lib/ending.js";
export { serve } from "./lib/serve.js";
