// Logs through the package langsmith in the mode in which it exports spans, and prints nothing.
import { initializeOTEL } from "langsmith/experimental/otel/setup";
import { Client } from "langsmith";
import { traceable } from "langsmith/traceable";

const { DEFAULT_LANGSMITH_SPAN_PROCESSOR } = initializeOTEL();
const client = new Client();
const options = { client, project_name: process.env.LANGSMITH_PROJECT, tracingEnabled: true };

const ask = traceable(async () => ({ role: "assistant", content: "Sunny.",
  usage_metadata: { input_tokens: 20, output_tokens: 10, total_tokens: 30, input_token_details: { cache_read: 5 } } }),
  { ...options, name: "model", run_type: "llm", metadata: { ls_provider: "openai", ls_model_name: "example-large" } });
const tool = traceable(async () => { throw new Error("no such city"); }, { ...options, name: "tool", run_type: "tool" });
const agent = traceable(async (question) => {
  const answer = await ask([{ role: "user", content: question }]);
  await tool("Rome").catch(() => {});
  return answer.content;
}, { ...options, name: "agent", tags: ["smoke"], metadata: { thread_id: "thread-1" } });
await agent("What is the weather?");
await client.awaitPendingTraceBatches();
await DEFAULT_LANGSMITH_SPAN_PROCESSOR.shutdown();
