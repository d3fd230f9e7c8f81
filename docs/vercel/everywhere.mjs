import { createGateway } from "@ai-sdk/gateway";
import { generateText } from "ai";

globalThis.AI_SDK_DEFAULT_PROVIDER = createGateway({ baseURL: process.argv[2], apiKey: "any" });
const { text } = await generateText({ model: "mock/any/refusal", prompt: "Hello" });
console.log(text);
