import * as sdk from "ai-5";
import { createAnthropic } from "@ai-sdk/anthropic-5";
import { createOpenAI } from "@ai-sdk/openai-5";
import { useAISDK } from "./_ai-sdk.mjs";
import { provider } from "./_spans.mjs";

const settings = { apiKey: "fake", baseURL: `${process.env.MODEL}/v1` };
await useAISDK({
  sdk, openai: createOpenAI(settings), anthropic: createAnthropic(settings),
  telemetry: (thread) => ({ experimental_telemetry: { isEnabled: true, metadata: { team: "web", ...(thread && { thread_id: thread }) } } }),
});
await provider.shutdown();
