// Reads lines of [parts, ending, vocabulary] and writes what they amount to.

import { createInterface } from "node:readline";

import { read } from "streamproof/reading";

for await (const line of createInterface({ input: process.stdin })) {
  const [parts, done, vocabulary] = JSON.parse(line);
  process.stdout.write(`${JSON.stringify(read(parts, done, vocabulary))}\n`);
}
