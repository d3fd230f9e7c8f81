import { createGateway } from "@ai-sdk/gateway";
import { streamText } from "ai";

const [mock, scenario] = process.argv.slice(2);
const gateway = createGateway({ baseURL: `${mock}/v3/ai`, apiKey: "any" });
const model = gateway(`mock/${scenario}`);
const { fullStream } = streamText({ model, prompt: "Hello", maxRetries: 0 });
for await (const part of fullStream) console.log(JSON.stringify(part));
