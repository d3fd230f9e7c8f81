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
  /** Of a message; asked for where adapter.yaml claims `count`. */
  provideTokenCount?(model: any, text: any, token: any): any;
}

/** What of a run goes somewhere: one of its fields, or what a function makes of it. */
export type From = "baseUrl" | "apiKey" | "model" | "dialect" | ((run: Run | Count) => unknown);

export interface Options extends Partial<Identity> {
  /** The folder of the extension's package.json; it is activated unless `provider` is given. */
  extension?: string | URL;
  /** The provider's class, a function of the ExtensionContext that makes one, or a provider. */
  provider?:
    (new (context: any) => Provider) | ((context: any) => Provider | Promise<Provider>) | Provider;
  /** Which of contributes.languageModelChatProviders; needed where there are several. */
  vendor?: string;
  /** Settings by their whole names, such as `acme.baseUrl`. */
  settings?: Record<string, From>;
  /** Secrets by their keys. */
  secrets?: Record<string, From>;
  /** Chooses from the models on offer; that of the run's name or the first unless told. */
  model?: (models: any[], run: Run | Count) => unknown;
  /** Does the host have LanguageModelThinkingPart, which is a proposed API? True unless told. */
  thinking?: boolean;
}

/** Plays runs of drive/1 by a provider that was written against the API of VS Code. */
export function provideInVscode(options: Options): void;
