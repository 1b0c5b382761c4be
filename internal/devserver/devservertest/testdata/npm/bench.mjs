// Logs as many runs as it is told, as fast as the package sends them, and prints how many milliseconds that took.
import { Client, RunTree } from "langsmith";

const client = new Client();
const runs = Number(process.env.RUNS);
const text = "All work and no play. ".repeat(Number(process.env.BYTES) / 22);
const began = performance.now();
for (let i = 0; i < runs; i++) {
  const run = new RunTree({ name: "bench", run_type: "llm", project_name: "bench", client,
    inputs: { messages: [{ role: "user", content: "Hi. " + text }] }, metadata: { ls_provider: "example", ls_model_name: "example-large" } });
  await run.postRun();
  run.addEvent({ name: "new_token" });
  await run.end({ choices: [{ message: { role: "assistant", content: "Hello. " + text } }], usage_metadata: { input_tokens: 3, output_tokens: 4, total_tokens: 7 } });
  await run.patchRun();
}
await client.awaitPendingTraceBatches();
console.log(performance.now() - began);
