// What programs do with Mastra.
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { Agent } from "@mastra/core/agent";
import { Mastra } from "@mastra/core/mastra";
import { createTool } from "@mastra/core/tools";
import { Observability } from "@mastra/observability";
import { z } from "zod";
import { failing } from "./_openai.mjs";

export async function useMastra(exporter) {
  const settings = { apiKey: "fake", baseURL: `${process.env.MODEL}/v1` };
  const openai = createOpenAI(settings), claude = createAnthropic(settings)("claude-sonnet-5-5");
  const model = openai.chat("gpt-4.1-mini");
  const weather = createTool({ id: "weather", description: "Returns the weather.", inputSchema: z.object({ city: z.string() }), execute: async () => "sunny" });
  const agent = (name, model, more) => new Agent({ id: name, name, model, instructions: "", maxRetries: 0, ...more });
  const mastra = new Mastra({
    agents: {
      brief: agent("brief", model, { instructions: "Be brief." }), responding: agent("responding", openai.responses("gpt-4.1-mini")),
      counter: agent("counter", claude), forecaster: agent("forecaster", model, { tools: { weather } }),
    },
    logger: false,
    observability: new Observability({ configs: { all: { serviceName: "corpus", exporters: [exporter] } } }),
  });

  await mastra.getAgent("brief").generate("What is the capital of Italy?", { modelSettings: { temperature: 0.5 } });
  await mastra.getAgent("responding").generate("Count to three.");
  for await (const _ of (await mastra.getAgent("counter").stream("Count to three.")).textStream);
  await mastra.getAgent("forecaster").generate("What is the weather in Rome?", {
    tracingOptions: { metadata: { thread_id: "conversation-1" }, tags: ["smoke"] },
  });
  await failing(() => mastra.getAgent("brief").generate("Fail."));
  await mastra.shutdown();
}
