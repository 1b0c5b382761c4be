// What each version of the AI SDK does: telemetry(thread) are the options of a call that belongs to a thread, or to none.
import { z } from "zod";

export async function useAISDK({ sdk, openai, anthropic, telemetry }) {
  const { embed, embedMany, generateObject, generateText, stepCountIs, streamText, tool } = sdk;
  const model = openai.chat("gpt-4.1-mini");
  const claude = anthropic("claude-sonnet-5-5");
  const plain = telemetry();

  await generateText({ ...plain, model, system: "Be brief.", prompt: "What is the capital of Italy?", temperature: 0.5 });
  await generateText({ ...plain, model: openai.responses("gpt-4.1-mini"), system: "Be brief.", prompt: "What is the capital of Italy?" });
  await generateText({ ...plain, model: claude, system: "Be brief.", prompt: "What is the capital of Italy?" });
  for (const streaming of [model, claude]) {
    const { textStream } = streamText({ ...plain, model: streaming, prompt: "Count to three." });
    for await (const _ of textStream);
  }
  await generateText({
    ...telemetry("conversation-1"), model, prompt: "What is the weather in Rome?", stopWhen: stepCountIs(3),
    tools: { weather: tool({ description: "Returns the weather.", inputSchema: z.object({ city: z.string() }), execute: async () => "sunny" }) },
  });
  await embed({ ...plain, model: openai.textEmbeddingModel("text-embedding-3-small"), value: "Rome is a city." });
  await embedMany({ ...plain, model: openai.textEmbeddingModel("text-embedding-3-small"), values: ["Rome is a city.", "So is Paris."] });
  await generateObject({ ...plain, model, schema: z.object({ city: z.string() }), prompt: "Name a city." });
  try {
    await generateText({ ...plain, model, prompt: "Fail.", maxRetries: 0 });
    throw new Error("the call should fail");
  } catch (error) {
    if (!/overloaded/.test(error.message)) throw error;
  }
}
