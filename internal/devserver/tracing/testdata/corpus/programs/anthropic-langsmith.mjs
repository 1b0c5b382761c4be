// The client of the tracing service, which wraps the package of Anthropic.
import Anthropic from "@anthropic-ai/sdk";
import { Client } from "langsmith";
import { wrapAnthropic } from "langsmith/wrappers/anthropic";
import { useAnthropic } from "./_anthropic.mjs";

const client = new Client();
await useAnthropic(wrapAnthropic(new Anthropic({ apiKey: "fake", baseURL: process.env.MODEL, maxRetries: 0 }), { client }));
await client.awaitPendingTraceBatches();
