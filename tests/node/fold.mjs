// Reads lines of [parts, ending, vocabulary, traits] and writes what they amount to.

import { createInterface } from "node:readline";

import { read } from "streamproof/reading";

for await (const line of createInterface({ input: process.stdin })) {
  const [parts, done, vocabulary, traits] = JSON.parse(line);
  process.stdout.write(`${JSON.stringify(read(parts, done, vocabulary, traits))}\n`);
}
