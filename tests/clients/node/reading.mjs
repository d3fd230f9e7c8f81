/** An empty reading; `read.mjs` explains its fields. */
export function nothing() {
  const content = { text: "", reasoning: "", refusal: "", calls: [] };
  return { ...content, ended: null, reason: null, usage: null, error: null };
}
