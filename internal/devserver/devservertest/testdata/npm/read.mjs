// Reads what log.mjs has logged through the public API of the package, and checks that it is what was meant.
import { Client } from "langsmith";
import assert from "node:assert/strict";

const ids = JSON.parse(process.env.RUN_IDS);
const name = process.env.LANGSMITH_PROJECT;
const client = new Client();
const selects = ["ID", "NAME", "RUN_TYPE", "STATUS", "START_TIME", "FIRST_TOKEN_TIME", "INPUTS", "OUTPUTS", "ERROR", "PARENT_RUN_IDS",
  "TRACE_ID", "THREAD_ID", "DOTTED_ORDER", "IS_ROOT", "TAGS", "METADATA", "EVENTS", "ATTACHMENTS", "TOTAL_TOKENS", "PROMPT_TOKENS",
  "COMPLETION_TOKENS", "TOTAL_COST", "PROMPT_COST", "COMPLETION_COST", "PROMPT_TOKEN_DETAILS", "PRICE_MODEL_ID"];

const project = await client.readProject({ projectName: name });
const named = {};
for await (const run of client.runs.query({ project_ids: [project.id], selects: ["ID", "NAME"] })) named[run.name] = run.id;
const retrieve = (id) => client.runs.retrieve(id, { project_id: project.id, selects });
const milliseconds = (run) => Date.parse(run.first_token_time) - Date.parse(run.start_time);

// The tree: the price is 2, 1 for what comes from the cache, and 3 dollars for a million tokens.
const call = await retrieve(ids.treeCall);
assert.equal(call.name, "model");
assert.equal(call.run_type, "LLM");
assert.equal(call.status, "SUCCESS");
assert.deepEqual(call.inputs, { messages: [{ role: "user", content: "What is the weather?" }] });
assert.deepEqual(call.outputs.messages, [{ role: "assistant", content: [{ type: "text", text: "Sunny." }] }]);
assert.deepEqual(call.parent_run_ids, [ids.tree]);
assert.deepEqual([call.prompt_tokens, call.completion_tokens, call.total_tokens], [20, 10, 30]);
assert.deepEqual([call.prompt_cost, call.completion_cost, call.total_cost], [0.000035, 0.00003, 0.000065]);
assert.deepEqual(call.prompt_token_details, { raw: { cache_read: 5 } });
assert.ok(call.price_model_id);
assert.ok(Math.abs(milliseconds(call) - 250) <= 1, `first token after ${milliseconds(call)} ms`);
assert.equal(call.start_time.replace(/[-:.Z]/g, ""), call.dotted_order.split(".").at(-1).split("Z")[0]);
const root = await retrieve(ids.tree);
assert.equal(root.is_root, true);
assert.deepEqual(root.tags, ["smoke"]);
assert.equal(root.thread_id, "thread-1");
// A run answers what it has used itself, unless a query wants what is below it as well.
assert.deepEqual([root.total_tokens, root.total_cost], [0, undefined]);
for (const [include_subtree_usage, want] of [[false, []], [true, [[ids.tree, 30, 0.000065]]]]) {
  const found = [];
  for await (const run of client.runs.query({
    project_ids: [project.id], selects: ["ID", "TOTAL_TOKENS", "TOTAL_COST"], include_subtree_usage,
    filter: 'and(eq(run_type, "chain"), eq(name, "chat"), gt(latency, 0), gt(total_tokens, 29))',
  })) found.push([run.id, run.total_tokens, run.total_cost]);
  assert.deepEqual(found, want);
}

// The function: clients mark each token, the first one counts.
const streamed = await retrieve(ids.traceable);
assert.equal(streamed.events.filter((event) => event.name === "new_token").length, 3);
assert.equal(milliseconds(streamed) >= 0, true);
assert.equal(streamed.outputs.choices[0].message.content, "Rainy.");
assert.deepEqual([streamed.total_tokens, streamed.total_cost], [7, 0.000017]);

// The wrappers: cached tokens are a part of the one provider's count, and come on top of the other's.
for (const run of [await retrieve(named.openai), await retrieve(named["openai-stream"])]) {
  assert.equal(run.run_type, "LLM");
  assert.deepEqual(run.inputs.messages, [{ role: "user", content: "Hi" }]);
  assert.equal(run.outputs.choices[0].message.content, "Hello!");
  assert.deepEqual([run.prompt_tokens, run.completion_tokens, run.total_tokens], [20, 10, 30]);
  assert.equal(run.total_cost, 0.000065);
}
assert.ok(milliseconds(await retrieve(named["openai-stream"])) >= 0);
for (const run of [await retrieve(named.anthropic), await retrieve(named["anthropic-stream"])]) {
  assert.equal(run.outputs.content[0].text, "Hello!");
  assert.deepEqual([run.prompt_tokens, run.completion_tokens, run.total_tokens], [157, 9, 166]);
  assert.equal(run.total_cost, 0.000311); // 127 × 2 + 30 × 1 + 9 × 3 millionths
}
assert.deepEqual((await retrieve(named.anthropic)).inputs.messages[0], { role: "system", content: "Be brief." });

// Files come back as they were.
const files = (await retrieve(ids.files)).attachments;
assert.deepEqual(Object.keys(files).sort(), ["notes", "picture"]);
assert.equal(await (await fetch(files.notes)).text(), "hello");
const picture = await fetch(files.picture);
assert.equal(picture.headers.get("content-type"), "image/png");
assert.equal(Buffer.from(await picture.arrayBuffer()).toString("hex"), "89504e470d0a1a0a");

// The project, all of its runs and traces, in pages.
const all = [];
for await (const run of client.runs.query({ project_ids: [project.id], selects: ["ID", "NAME", "STATUS", "ERROR"], page_size: 3 })) all.push(run);
assert.equal(all.length, 9);
const failed = all.filter((run) => run.status === "ERROR");
assert.deepEqual(failed.map((run) => run.name), ["failing"]);
assert.match(failed[0].error, /no such tool/);
const traces = [];
for await (const trace of client.traces.query({ project_id: project.id, selects: ["ID", "NAME"], page_size: 3 })) traces.push(trace);
assert.equal(traces.length, 8);
const tree = traces.find((trace) => trace.root_run.id === ids.tree);
assert.deepEqual([tree.trace_aggregates.total_tokens, tree.trace_aggregates.total_cost], [30, 0.000065]);
const listed = await client.traces.listRuns(ids.tree, { project_id: project.id, selects: ["ID"] });
assert.deepEqual(listed.items.map((run) => run.id), [ids.tree, ids.treeCall]);
const threads = [];
for await (const thread of client.threads.query({ project_id: project.id })) threads.push(thread.thread_id);
assert.deepEqual(threads, ["thread-1"]);
const threadFigures = await client.threads.aggregateStats({ project_id: project.id, select: ["THREAD_COUNT", "TRACE_COUNT", "TOTAL_TOKENS", "TOTAL_COST"] });
assert.deepEqual(threadFigures, { thread_count: 1, trace_count: 1, total_tokens: 30, total_cost: 0.000065 });
const filtered = [];
for await (const run of client.runs.query({ project_ids: [project.id], filter: 'and(eq(run_type, "llm"), gt(total_tokens, 100))' })) filtered.push(run.id);
assert.deepEqual(filtered.sort(), [named.anthropic, named["anthropic-stream"]].sort());

// The same, as events.
const streams = {
  runs: [client.runs.streaming.queryV2Items({ project_ids: [project.id], selects: ["NAME"], page_size: 4 }), (run) => run.name],
  traces: [client.traces.streaming.queryItems({ project_id: project.id, selects: ["NAME"], page_size: 3 }), (trace) => trace.root_run.name],
  threads: [client.threads.streaming.queryItems({ project_id: project.id }), (thread) => thread.thread_id],
};
for (const [what, [stream, label]] of Object.entries(streams)) {
  streams[what] = [];
  for await (const item of stream) streams[what].push(label(item));
  streams[what].sort();
}
assert.deepEqual(streams, {
  runs: all.map((run) => run.name).sort(), traces: traces.map((trace) => trace.root_run.name).sort(), threads: ["thread-1"],
});

const figures = await client.readProject({ projectName: name, includeStats: true });
assert.equal(figures.run_count, 8);
assert.equal(figures.total_tokens, 30 + 7 + 2 * 30 + 2 * 166);
assert.equal(Number(figures.total_cost), 0.000834);
assert.equal(figures.error_rate, 1 / 8);
assert.equal(figures.streaming_rate, 4 / 8);
assert.ok(figures.latency_p50 >= 0 && figures.first_token_p50 >= 0);

const sessions = [];
for await (const session of client.sessions.listV2({ name_contains: name, sort_by: "NAME", sort_order: "asc", include_stats: true, page_size: 1 })) sessions.push(session);
assert.deepEqual(sessions.map((session) => [session.name, session.type]), [[name, "PROJECT"], [name + "-many", "PROJECT"]]);
assert.deepEqual([sessions[0].id, sessions[0].run_count, sessions[0].total_cost], [project.id, 8, 0.000834]);
await assert.rejects(client.sessions.resolve({ kind: "AGENT", id: "bot", environment: "PRODUCTION" }), { status: 404 });

const board = await client.sessions.dashboard(project.id, { stride: { hours: 6 } });
const drawn = Object.fromEntries(board.sub_sections.map((section) => [section.title, section.charts]));
assert.equal(drawn["Traces"][0].series[0].metric, "run_count");
assert.equal(drawn["Traces"][0].data.reduce((sum, point) => sum + point.value, 0), 8);
assert.deepEqual(drawn["Run Types"][0].data.map((point) => [point.group, point.value]), [["model", 1]]);

// Nothing of many is missing.
const many = await client.readProject({ projectName: name + "-many", includeStats: true });
assert.equal(many.run_count, 1000);
const found = new Map();
for await (const run of client.runs.query({ project_ids: [many.id], selects: ["ID", "STATUS", "INPUTS", "OUTPUTS"] })) found.set(run.id, run);
assert.equal(found.size, 1000);
ids.many.forEach((id, i) => {
  assert.equal(found.get(id).status, "SUCCESS");
  assert.deepEqual([found.get(id).inputs, found.get(id).outputs], [{ i }, { square: i * i }]);
});

// Projects are made, changed and deleted.
const made = await client.createProject({ projectName: "made", description: "by the client", metadata: { team: "a" } });
await assert.rejects(client.createProject({ projectName: "made" }), { name: "LangSmithConflictError" });
assert.equal((await client.createProject({ projectName: "made", upsert: true })).id, made.id);
assert.equal((await client.updateProject(made.id, { description: "changed" })).description, "changed");
assert.equal(await client.hasProject({ projectName: "made" }), true);
const names = [];
for await (const p of client.listProjects({ nameContains: "ma" })) names.push(p.name);
assert.deepEqual(names.sort(), ["made", "npm-many"]);
await client.deleteProject({ projectName: "made" });
assert.equal(await client.hasProject({ projectName: "made" }), false);
