// The client of the tracing service, to which the AI SDK reports.
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import * as sdk from "ai";
import { Client } from "langsmith";
import { LangSmithTelemetry } from "langsmith/experimental/vercel";
import { useAISDK } from "./_ai-sdk.mjs";

const client = new Client();
const report = (metadata) => ({ telemetry: { integrations: [new LangSmithTelemetry({ client, metadata })] } });
const settings = { apiKey: "fake", baseURL: `${process.env.MODEL}/v1` };
await useAISDK({
  sdk, openai: createOpenAI(settings), anthropic: createAnthropic(settings),
  telemetry: (thread) => report(thread && { thread_id: thread }),
});
await client.awaitPendingTraceBatches();
