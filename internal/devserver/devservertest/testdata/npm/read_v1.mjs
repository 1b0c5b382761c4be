// Reads what log.mjs has logged as people do who have not moved to the second version of the API.
import { Client } from "langsmith";
import assert from "node:assert/strict";

const ids = JSON.parse(process.env.RUN_IDS);
const client = new Client();
const root = await client.readRun(ids.tree, { loadChildRuns: true });
assert.equal(root.parent_run_id, null);
assert.equal(root.total_tokens, 30);
assert.equal(Number(root.total_cost), 0.000065);
assert.deepEqual(root.child_runs.map((run) => run.id), [ids.treeCall]);
const call = await client.readRun(ids.treeCall);
assert.equal(call.status, "success");
assert.equal(call.total_cost, "0.000065");
assert.equal(call.parent_run_id, ids.tree);
assert.deepEqual(call.events.map((event) => event.name), ["new_token"]);
const runs = [];
for await (const run of client.listRuns({ projectName: process.env.LANGSMITH_PROJECT, isRoot: true, error: true })) runs.push(run.name);
assert.deepEqual(runs, ["failing"]);
const llm = [];
for await (const run of client.listRuns({ projectName: process.env.LANGSMITH_PROJECT, filter: "and(eq(metadata_key, 'ls_model_name'), eq(metadata_value, 'example-large'))" })) llm.push(run.name);
assert.deepEqual(llm.sort(), ["anthropic", "anthropic-stream", "model", "openai", "openai-stream", "streamed"]);
// A filter compares what is shown, with all that is below a run.
const heavy = [];
for await (const run of client.listRuns({ projectName: process.env.LANGSMITH_PROJECT, filter: 'and(eq(run_type, "chain"), gt(latency, 0), gt(total_tokens, 29))' })) heavy.push(run.id);
assert.deepEqual(heavy, [ids.tree]);
const many = [];
for await (const run of client.listRuns({ projectName: process.env.LANGSMITH_PROJECT + "-many", limit: 250 })) many.push(run.id);
assert.equal(new Set(many).size, 250);
const thread = [];
for await (const run of client.readThread({ threadId: "thread-1", projectName: process.env.LANGSMITH_PROJECT })) thread.push(run.id);
assert.deepEqual(thread, [ids.tree]);

// Feedback is left, shown on its run and in the figures of its project, changed, and taken away.
const sessionId = root.session_id;
const left = await client.createFeedback(ids.tree, "correct", { score: 0.5, comment: "so so", sourceInfo: { judge: "j" }, sessionId });
await client.createFeedback(ids.tree, "correct", { score: 1, sessionId });
const rated = (await client.readRun(ids.tree)).feedback_stats.correct;
assert.deepEqual([rated.n, rated.avg, rated.comments], [2, 0.75, ["so so"]]);
const scores = [];
for await (const feedback of client.listFeedback({ runIds: [ids.tree], feedbackKeys: ["correct"] })) scores.push(feedback.score);
assert.deepEqual(scores.sort(), [0.5, 1]);
await client.updateFeedback(left.id, { score: 0 });
assert.equal((await client.readFeedback(left.id)).score, 0);
const correct = [];
for await (const run of client.listRuns({ projectName: process.env.LANGSMITH_PROJECT, filter: 'and(eq(feedback_key, "correct"), eq(feedback_score, 0.0))' })) correct.push(run.id);
assert.deepEqual(correct, [ids.tree]);
assert.equal((await client.readProject({ projectName: process.env.LANGSMITH_PROJECT, includeStats: true })).feedback_stats.correct.avg, 0.5);
await client.deleteFeedback(left.id);
await assert.rejects(client.readFeedback(left.id));

// The address of a run leads to its page, and whoever has the token of a shared one reads it.
const address = new URL(await client.getRunUrl({ runId: ids.tree }));
const page = await fetch(process.env.LANGSMITH_ENDPOINT + address.pathname + address.search);
assert.equal(page.status, 200);
assert.match(await page.text(), new RegExp(ids.tree));
const token = (await client.shareRun(ids.tree)).split("/").at(-2);
assert.deepEqual((await client.listSharedRuns(token)).map((run) => run.id), [ids.tree, ids.treeCall]);
assert.deepEqual((await client.listSharedRuns(token, { runIds: [ids.treeCall] })).map((run) => run.name), ["model"]);
await client.unshareRun(ids.tree);
assert.equal(await client.readRunSharedLink(ids.tree), undefined);
