// The client of the tracing service, which wraps the package of OpenAI.
import { Client } from "langsmith";
import { wrapOpenAI } from "langsmith/wrappers";
import OpenAI from "openai";
import { useOpenAI } from "./_openai.mjs";

const client = new Client();
await useOpenAI(wrapOpenAI(new OpenAI({ apiKey: "fake", baseURL: `${process.env.MODEL}/v1`, maxRetries: 0 }), { client }));
await client.awaitPendingTraceBatches();
