import { provideInVscode } from "streamproof/vscode";
import { Provider } from "./provider.cjs";

provideInVscode({
  name: "typed",
  provider: (context) => new Provider(context.secrets),
  settings: { "acme.url": (run) => `${run.baseUrl}/responses`, "acme.model": "model" },
  secrets: { key: "apiKey" },
});
