const vscode = require("vscode");

exports.activate = (context) => {
  const provider = new AcmeProvider(context.secrets);
  context.subscriptions.push(vscode.lm.registerLanguageModelChatProvider("acme", provider));
};

class AcmeProvider {
  constructor(secrets) {
    this.secrets = secrets;
  }

  async provideLanguageModelChatInformation({ silent }) {
    if (silent && !(await this.secrets.get("acme.apiKey"))) return [];
    const limits = { maxInputTokens: 100_000, maxOutputTokens: 8_000 };
    const capabilities = { toolCalling: true };
    return [
      { id: "acme-1", name: "Acme 1", family: "acme", version: "1", ...limits, capabilities },
    ];
  }

  async provideTokenCount(_model, text) {
    return Math.ceil(JSON.stringify(text).length / 4);
  }

  async provideLanguageModelChatResponse(model, messages, options, progress, token) {
    const controller = new AbortController();
    const listening = token.onCancellationRequested(() => controller.abort());
    if (token.isCancellationRequested) controller.abort();
    try {
      const response = await this.request(model, messages, options, controller.signal);
      await report(response, progress, token);
    } catch (error) {
      if (token.isCancellationRequested) return;
      if (error instanceof vscode.LanguageModelError) throw error;
      throw new vscode.LanguageModelError(error.message);
    } finally {
      listening.dispose();
      controller.abort();
    }
  }

  async request(model, messages, { tools = [] }, signal) {
    const baseUrl = vscode.workspace.getConfiguration("acme").get("baseUrl");
    const apiKey = await this.secrets.get("acme.apiKey");
    const response = await fetch(`${baseUrl}/responses`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${apiKey}` },
      body: JSON.stringify({
        model: model.id,
        input: messages.flatMap(items),
        tools: tools.map(({ name, description, inputSchema }) => {
          return { type: "function", name, description, parameters: inputSchema };
        }),
        stream: true,
      }),
      signal,
    });
    if (response.ok) return response;
    const { error } = await response.json().catch(() => ({}));
    const message = error?.message ?? `the upstream answered ${response.status}`;
    if (response.status === 404) throw vscode.LanguageModelError.NotFound(message);
    if (response.status === 401) throw vscode.LanguageModelError.NoPermissions(message);
    throw new Error(message);
  }
}

/** One message of the editor's as items of the Responses API. */
function items({ role, content }) {
  const author = role === vscode.LanguageModelChatMessageRole.Assistant ? "assistant" : "user";
  return content.flatMap((part) => {
    if (part instanceof vscode.LanguageModelTextPart) return { role: author, content: part.value };
    if (part instanceof vscode.LanguageModelToolCallPart) {
      const { callId: call_id, name, input } = part;
      return { type: "function_call", call_id, name, arguments: JSON.stringify(input) };
    }
    if (part instanceof vscode.LanguageModelToolResultPart) {
      const output = part.content.map(({ value }) => value).join("");
      return { type: "function_call_output", call_id: part.callId, output };
    }
    return [];
  });
}

async function report(response, progress, token) {
  let ended = false;
  for await (const event of events(response.body)) {
    if (token.isCancellationRequested) return;
    ended ||= ENDS[event.type]?.(event) ?? false;
    const part = PARTS[event.type]?.(event);
    if (part) progress.report(part);
    if (ended) return;
  }
  throw new Error("the connection was lost before the answer was complete");
}

async function* events(body) {
  let rest = "";
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split(/\r?\n/);
    rest = lines.pop();
    for (const line of lines) if (line.startsWith("data: {")) yield JSON.parse(line.slice(6));
  }
}

const PARTS = {
  "response.output_text.delta": ({ delta }) => new vscode.LanguageModelTextPart(delta),
  "response.refusal.delta": ({ delta }) => new vscode.LanguageModelTextPart(delta),
  "response.reasoning_summary_text.delta": ({ delta, item_id }) =>
    vscode.LanguageModelThinkingPart && new vscode.LanguageModelThinkingPart(delta, item_id),
  "response.output_item.done": ({ item }) => {
    if (item.type !== "function_call") return undefined;
    const input = JSON.parse(item.arguments || "{}");
    return new vscode.LanguageModelToolCallPart(item.call_id, item.name, input);
  },
};

const ENDS = {
  "response.completed": () => true,
  "response.incomplete": () => true,
  "response.failed": ({ response: { error } }) => {
    throw new vscode.LanguageModelError(error.message, error.code);
  },
  error: (event) => {
    const { message, code } = event.error ?? event;
    throw new vscode.LanguageModelError(message, code);
  },
};
