import { provideInVscode } from "streamproof/vscode";

provideInVscode({
  extension: new URL("acme/", import.meta.url),
  dialects: ["openresponses"],
  settings: { "acme.baseUrl": "baseUrl" },
  secrets: { "acme.apiKey": "apiKey" },
});
