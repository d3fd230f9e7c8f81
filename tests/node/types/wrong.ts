// What is wrong, and told before anything runs.
import { serve } from "streamproof";
import { read } from "streamproof/reading";
import { mock } from "streamproof/test";
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
// @ts-expect-error a run is opened for a case
(await mock()).run();
// @ts-expect-error no such outcome
(await (await mock()).run("any/refusal")).check([], { outcome: "stopped" });
