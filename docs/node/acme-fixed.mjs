import { provideInVscode } from "streamproof/vscode";

provideInVscode({
  extension: new URL("acme/", import.meta.url),
  dialects: ["openresponses"],
  secrets: { "acme.apiKey": "apiKey" },
  upstreams: { "https://models.acme.example/v1": "baseUrl" },
});
