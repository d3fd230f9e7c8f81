/** A reading of which nothing has come yet; `read.mjs` says what stands in one. */
export function nothing() {
  const content = { text: "", reasoning: "", refusal: "", calls: [] };
  return { ...content, ended: null, reason: null, usage: null, error: null };
}
