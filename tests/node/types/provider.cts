// A provider as an extension in TypeScript has it: the types are VS Code's own.
import * as vscode from "vscode";

interface Model extends vscode.LanguageModelChatInformation {
  readonly path: string;
}

export class Provider implements vscode.LanguageModelChatProvider<Model> {
  constructor(private readonly secrets: vscode.SecretStorage) {}

  async provideLanguageModelChatInformation(
    _options: vscode.PrepareLanguageModelChatModelOptions,
    _token: vscode.CancellationToken,
  ): Promise<Model[]> {
    const limits = { maxInputTokens: 1000, maxOutputTokens: 100 };
    const capabilities = { toolCalling: true };
    return [{ id: "m", name: "M", family: "m", version: "1", path: "/m", ...limits, capabilities }];
  }

  async provideLanguageModelChatResponse(
    model: Model,
    messages: readonly vscode.LanguageModelChatRequestMessage[],
    options: vscode.ProvideLanguageModelChatResponseOptions,
    progress: vscode.Progress<vscode.LanguageModelResponsePart>,
    token: vscode.CancellationToken,
  ): Promise<void> {
    const [asked] = messages[0].content;
    if (asked instanceof vscode.LanguageModelTextPart) progress.report(asked);
    const auto = options.toolMode === vscode.LanguageModelChatToolMode.Auto;
    const key = await this.secrets.get("key");
    progress.report(new vscode.LanguageModelToolCallPart("c", model.path, { auto, key }));
    if (token.isCancellationRequested) throw new vscode.CancellationError();
    throw vscode.LanguageModelError.Blocked("enough");
  }

  async provideTokenCount(): Promise<number> {
    return 1;
  }
}
