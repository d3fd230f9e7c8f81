import * as vscode from "vscode";

import { provideInVscode } from "streamproof/vscode";

class Parrot {
  constructor(secrets) {
    this.secrets = secrets;
  }

  async provideLanguageModelChatInformation() {
    return [{ id: "parrot" }];
  }

  async provideLanguageModelChatResponse(model, messages, options, progress, token) {
    const [{ value }] = messages.at(-1).content;
    progress.report(new vscode.LanguageModelTextPart(value));
    progress.report(new vscode.LanguageModelTextPart(await this.secrets.get("key")));
  }
}

provideInVscode({
  name: "parrot",
  provider: (context) => new Parrot(context.secrets),
  secrets: { key: "apiKey" },
});
