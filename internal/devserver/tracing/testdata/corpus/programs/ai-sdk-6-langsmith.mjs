// The client of the tracing service, which wraps the functions of the AI SDK.
import * as sdk from "ai-6";
import { createAnthropic } from "@ai-sdk/anthropic-6";
import { createOpenAI } from "@ai-sdk/openai-6";
import { Client } from "langsmith";
import { createLangSmithProviderOptions, wrapAISDK } from "langsmith/experimental/vercel";
import { useAISDK } from "./_ai-sdk.mjs";

const client = new Client();
const settings = { apiKey: "fake", baseURL: `${process.env.MODEL}/v1` };
await useAISDK({
  sdk: { ...sdk, ...wrapAISDK(sdk, { client }) }, openai: createOpenAI(settings), anthropic: createAnthropic(settings),
  telemetry: (thread) => thread ? { providerOptions: { langsmith: createLangSmithProviderOptions({ metadata: { thread_id: thread } }) } } : {},
});
await client.awaitPendingTraceBatches();
