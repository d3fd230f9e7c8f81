import type { Count, Identity, Run } from "./index.js";

/** The part of a `vscode.LanguageModelChatProvider` that a run needs. */
export interface Provider {
  provideLanguageModelChatInformation(options: any, token: any): any;
  provideLanguageModelChatResponse(
    model: any,
    messages: any,
    options: any,
    progress: any,
    token: any,
  ): PromiseLike<unknown>;
  /** The tokens of one message; called if adapter.yaml claims `count`. */
  provideTokenCount?(model: any, text: any, token: any): any;
}

/** A value taken from a run: one of its fields, or the result of a function. */
export type From = "baseUrl" | "apiKey" | "model" | "dialect" | ((run: Run | Count) => unknown);

export interface Options extends Partial<Identity> {
  /** The folder of the extension's package.json; it is activated if no `provider` is given. */
  extension?: string | URL;
  /** A provider, its class, or a function that makes one from the ExtensionContext. */
  provider?:
    (new (context: any) => Provider) | ((context: any) => Provider | Promise<Provider>) | Provider;
  /** Which of contributes.languageModelChatProviders; needed if there are several. */
  vendor?: string;
  /** Settings by their full names, such as `acme.baseUrl`. */
  settings?: Record<string, From>;
  /** Secrets by their keys. */
  secrets?: Record<string, From>;
  /** For each URL that the extension asks, the URL at the mock to which its requests are led. */
  upstreams?: Record<string, From>;
  /** Chooses one of the offered models; by default the one named in the run, else the first. */
  model?: (models: any[], run: Run | Count) => unknown;
  /** Whether the host has LanguageModelThinkingPart, a proposed API; true by default. */
  thinking?: boolean;
}

/** Plays runs of drive/1 with a provider that is written for the API of VS Code. */
export function provideInVscode(options: Options): void;
