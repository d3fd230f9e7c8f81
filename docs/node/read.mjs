import { read } from "streamproof/reading";

const parts = [
  { type: "text", value: "Let me see. 🐍" },
  { type: "toolCall", callId: "call_1", name: "read_file", input: { path: "a.py" } },
];
const { text, calls, outcome } = read(parts, { outcome: "completed" }, "vscode");
console.log(text, outcome);
console.log(calls);
