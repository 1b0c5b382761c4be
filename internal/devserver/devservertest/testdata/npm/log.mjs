// Logs runs through the public API of the package langsmith, in each of the ways that its users do, and prints the ids.
import Anthropic from "@anthropic-ai/sdk";
import { Client, RunTree } from "langsmith";
import { traceable } from "langsmith/traceable";
import { wrapAnthropic } from "langsmith/wrappers/anthropic";
import { wrapOpenAI } from "langsmith/wrappers";
import OpenAI from "openai";

const project = process.env.LANGSMITH_PROJECT;
const model = process.env.FAKE_MODEL;
const client = new Client();
const ids = {};

// A run tree, as it is used directly: the token is marked once, when it arrives.
const root = new RunTree({ name: "chat", run_type: "chain", inputs: { question: "What is the weather?" }, project_name: project,
  client, tags: ["smoke"], metadata: { thread_id: "thread-1" } });
await root.postRun();
const call = root.createChild({ name: "model", run_type: "llm", inputs: { messages: [{ role: "user", content: "What is the weather?" }] },
  metadata: { ls_provider: "example", ls_model_name: "example-large" } });
await call.postRun();
call.addEvent({ name: "new_token", time: new Date(call.start_time + 250).toISOString() });
await call.end({ messages: [{ role: "assistant", content: [{ type: "text", text: "Sunny." }] }],
  usage_metadata: { input_tokens: 20, output_tokens: 10, total_tokens: 30, input_token_details: { cache_read: 5 } } },
  undefined, call.start_time + 1000);
await call.patchRun();
await root.end({ answer: "Sunny." }, undefined, root.start_time + 2000);
await root.patchRun();
ids.tree = root.id;
ids.treeCall = call.id;

// A function that is a model, streaming.
const streamed = traceable(async function* (messages) {
  ids.traceable = (await import("langsmith/traceable")).getCurrentRunTree().id;
  for (const token of ["Rain", "y", "."]) yield token;
}, { name: "streamed", run_type: "llm", client, project_name: project, tracingEnabled: true,
  metadata: { ls_provider: "example", ls_model_name: "example-large" },
  aggregator: (tokens) => ({ choices: [{ message: { role: "assistant", content: tokens.join("") } }],
    usage_metadata: { input_tokens: 4, output_tokens: 3, total_tokens: 7 } }) });
for await (const _ of streamed([{ role: "user", content: "And tomorrow?" }])) ;

// The wrapper of each provider's package, whole and streaming.
const openai = (name) => wrapOpenAI(new OpenAI({ baseURL: model + "/openai", apiKey: "none" }), { name, client, project_name: project, tracingEnabled: true });
const question = { model: "example-large", messages: [{ role: "user", content: "Hi" }] };
await openai("openai").chat.completions.create(question);
for await (const _ of await openai("openai-stream").chat.completions.create({ ...question, stream: true, stream_options: { include_usage: true } })) ;
const anthropic = (name) => wrapAnthropic(new Anthropic({ baseURL: model + "/anthropic", apiKey: "none" }), { name, client, project_name: project, tracingEnabled: true });
await anthropic("anthropic").messages.create({ ...question, max_tokens: 64, system: "Be brief." });
for await (const _ of await anthropic("anthropic-stream").messages.create({ ...question, max_tokens: 64, stream: true })) ;

// A failure, and files.
const failing = traceable(async () => { throw new Error("no such tool"); }, { name: "failing", run_type: "tool", client, project_name: project, tracingEnabled: true });
await failing().catch(() => {});
const withFiles = new RunTree({ name: "files", run_type: "tool", inputs: {}, project_name: project, client,
  attachments: { picture: ["image/png", Buffer.from("89504e470d0a1a0a", "hex")], notes: ["text/plain", new TextEncoder().encode("hello")] } });
await withFiles.postRun();
await withFiles.end({ ok: true });
await withFiles.patchRun();
ids.files = withFiles.id;

// Many at once.
ids.many = [];
for (let i = 0; i < 1000; i++) {
  const run = new RunTree({ name: "many", run_type: "tool", inputs: { i }, project_name: project + "-many", client });
  await run.postRun();
  await run.end({ square: i * i });
  await run.patchRun();
  ids.many.push(run.id);
}
await client.awaitPendingTraceBatches();
console.log(JSON.stringify(ids));
