// Evaluates an agent that knows one of two capitals: on a dataset by its name, and on examples in a list. Prints what has been measured.
import { Client } from "langsmith";
import { evaluate } from "langsmith/evaluation";
import { traceable } from "langsmith/traceable";

const client = new Client();
const dataset = await client.createDataset("capitals", { description: "Countries and their capitals" });
await client.createExamples([
  { dataset_id: dataset.id, inputs: { country: "France" }, outputs: { capital: "Paris" }, split: "test" },
  { dataset_id: dataset.id, inputs: { country: "Spain" }, outputs: { capital: "Madrid" }, metadata: { hard: true } },
]);

const model = traceable(
  async ({ country }) => ({
    capital: { France: "Paris", Spain: "Barcelona" }[country],
    usage_metadata: { input_tokens: 10, output_tokens: 1, total_tokens: 11, total_cost: 0.25 },
  }),
  { name: "model", run_type: "llm" },
);
const agent = async (inputs) => ({ capital: (await model(inputs)).capital });
const correct = ({ outputs, referenceOutputs }) => ({ key: "correct", score: outputs.capital === referenceOutputs.capital });
const count = ({ outputs }) => ({ key: "count", score: outputs.length });

const listed = [];
for await (const example of client.listExamples({ datasetName: "capitals", splits: ["test"] })) {
  listed.push(example);
}
const measured = [];
for (const data of ["capitals", listed]) {
  const results = await evaluate(agent, { data, evaluators: [correct], summaryEvaluators: [count], experimentPrefix: "agent", client });
  measured.push({
    experiment: results.experimentName,
    scores: Object.fromEntries(results.results.map((r) => [r.example.inputs.country, r.evaluationResults.results[0].score])),
    summary: results.summaryResults.results[0].score,
  });
}
await client.awaitPendingTraceBatches();
process.stdout.write(JSON.stringify(measured) + "\n");
process.exit(0);
