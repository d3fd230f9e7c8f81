// What is wrong, and told before anything runs.
import { serve } from "streamproof";
import { read } from "streamproof/reading";
import { provideInVscode } from "streamproof/vscode";
import { Provider } from "./provider.cjs";

// @ts-expect-error claims stand in adapter.yaml
serve({ name: "typed", cancel: true }, () => {});
// @ts-expect-error a failure has an error
serve({ name: "typed" }, () => ({ outcome: "failed" }));
// @ts-expect-error no such vocabulary
read([], null, "toml");
// @ts-expect-error a run has no such field
provideInVscode({ provider: Provider, secrets: { key: "token" } });
