import { serve, Unsupported, type Done, type Run } from "streamproof";
import { read, type Reading } from "streamproof/reading";

serve({ name: "typed", version: "1", implementation: "strings", dialects: ["openresponses"] }, run);

async function run(run: Run, emit: (part: object) => void): Promise<Done | void> {
  if (run.tools.length > 0) throw new Unsupported("no tools", { issueUrl: "https://example.org" });
  const asked = run.messages.map((message) => {
    if (message.role === "approval") return message.approvalId;
    return message.role === "tool" ? message.callId : String(message.content);
  });
  emit({ type: "text", value: asked.join("") });
  if (run.signal.aborted) return undefined;
  const reading: Reading = read([{ type: "text", value: run.model }], { outcome: "completed" });
  emit({ type: "text", value: reading.text });
  return { outcome: "completed", finish: "stop", usage: { input: run.baseUrl.length } };
}
