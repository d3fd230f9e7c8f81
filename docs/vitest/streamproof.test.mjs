import { expect, test } from "vitest";
import { adapter } from "./adapter.mjs";

const MOCK = process.env.MOCK ?? "http://127.0.0.1:4100";
const CASES = [
  "any/text-and-call-interleave",
  "any/escapes-cut-in-two",
  "any/cut-inside-text",
  "openresponses/failed-after-text",
];

async function post(url, body) {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  return response.json();
}

test.each(CASES)("%s", async (id) => {
  const run = await post(`${MOCK}/_mock/runs`, { case: id });
  const parts = [];
  const end = await adapter({ baseUrl: run.base_url }, (part) => parts.push(part));
  const played = { vocabulary: "vscode", parts, end };
  const { findings } = await post(`${MOCK}/_mock/runs/${run.id}/verdict`, played);
  expect(findings.filter(({ level }) => level === "must")).toEqual([]);
});
