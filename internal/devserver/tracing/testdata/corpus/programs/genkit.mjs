// Genkit, which exports spans with its own attributes.
import { openAI } from "@genkit-ai/compat-oai/openai";
import { genkit, z } from "genkit";
import { disableGenkitOTelInitialization } from "genkit/tracing";
import { failing } from "./_openai.mjs";
import { provider } from "./_spans.mjs";

disableGenkitOTelInitialization();
const ai = genkit({ plugins: [openAI({ apiKey: "fake", baseURL: `${process.env.MODEL}/v1`, maxRetries: 0 })] });
const model = openAI.model("gpt-4.1-mini");

await ai.generate({ model, system: "Be brief.", prompt: "What is the capital of Italy?", config: { temperature: 0.5 } });
const counting = ai.generateStream({ model, prompt: "Count to three." });
for await (const _ of counting.stream);
await counting.response;

const weather = ai.defineTool({ name: "weather", description: "Returns the weather.", inputSchema: z.object({ city: z.string() }) }, async () => "sunny");
const forecast = ai.defineFlow("forecast", async () => {
  return (await ai.generate({ model, tools: [weather], prompt: "What is the weather in Rome?" })).text;
});
await forecast();
await ai.embed({ embedder: openAI.embedder("text-embedding-3-small"), content: "Rome is a city." });
await failing(() => ai.generate({ model, prompt: "Fail." }));
await provider.shutdown();
