// The package of Anthropic exports spans itself.
import Anthropic from "@anthropic-ai/sdk";
import { useAnthropic } from "./_anthropic.mjs";
import { provider } from "./_spans.mjs";

await useAnthropic(new Anthropic({ apiKey: "fake", baseURL: process.env.MODEL, maxRetries: 0 }));
await provider.shutdown();
