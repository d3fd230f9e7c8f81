/** Runs adapter.mts: directly if Node strips types (22.18 and later), else compiled by tsc. */
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { delimiter, join } from "node:path";

const folder = import.meta.dirname ?? new URL(".", import.meta.url).pathname;
const changed = (name) => statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;

if (process.features.typescript) {
  await import("./adapter.mts");
} else {
  if (changed("build/adapter.mjs") < changed("adapter.mts")) compile();
  await import("./build/adapter.mjs");
}

function compile() {
  const PATH = [join(folder, "node_modules", ".bin"), process.env.PATH].join(delimiter);
  // stdout belongs to drive/1, so what tsc says goes to stderr.
  const options = { cwd: folder, env: { ...process.env, PATH }, stdio: ["ignore", 2, 2] };
  if (spawnSync("tsc", [], options).error) {
    console.error(`Node ${process.version} does not strip types, and there is no tsc: npm install`);
    process.exit(1);
  }
}
