// What programs do with the Agents SDK of OpenAI.
import * as agents from "@openai/agents";
import OpenAI from "openai";
import { z } from "zod";
import { failing } from "./_openai.mjs";

export async function useAgents() {
  agents.setDefaultOpenAIClient(new OpenAI({ apiKey: "fake", baseURL: `${process.env.MODEL}/v1`, maxRetries: 0 }));
  const model = "gpt-4.1-mini";
  await agents.run(new agents.Agent({ name: "brief", model, instructions: "Be brief." }), "What is the capital of Italy?");
  const counting = await agents.run(new agents.Agent({ name: "counter", model }), "Count to three.", { stream: true });
  for await (const _ of counting);
  const weather = agents.tool({ name: "weather", description: "Returns the weather.", parameters: z.object({ city: z.string() }), execute: async () => "sunny" });
  const runner = new agents.Runner({ workflowName: "forecast", groupId: "conversation-1" });
  await runner.run(new agents.Agent({ name: "forecaster", model, tools: [weather] }), "What is the weather in Rome?");
  await failing(() => agents.run(new agents.Agent({ name: "failing", model }), "Fail."));
}
