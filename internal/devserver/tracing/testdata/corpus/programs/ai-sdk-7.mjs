import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { OpenTelemetry } from "@ai-sdk/otel";
import * as sdk from "ai";
import { useAISDK } from "./_ai-sdk.mjs";
import { provider } from "./_spans.mjs";

sdk.registerTelemetry(new OpenTelemetry({ runtimeContext: true, embedding: true, usage: true }));
const settings = { apiKey: "fake", baseURL: `${process.env.MODEL}/v1` };
await useAISDK({
  sdk, openai: createOpenAI(settings), anthropic: createAnthropic(settings),
  telemetry: (thread) => thread ? { runtimeContext: { thread_id: thread }, telemetry: { includeRuntimeContext: { thread_id: true } } } : {},
});
await provider.shutdown();
