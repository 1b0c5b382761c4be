// What programs do with the package of Anthropic.
import { failing } from "./_openai.mjs";

const weather = { name: "weather", description: "Returns the weather.", input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] } };

export async function useAnthropic(client) {
  const create = (messages, more) => client.messages.create({ model: "claude-sonnet-5-5", max_tokens: 64, messages, ...more });
  const user = (content) => ({ role: "user", content });

  await create([user("What is the capital of Italy?")], { system: "Be brief.", temperature: 0.5 });
  for await (const _ of await create([user("Count to three.")], { stream: true }));

  const question = user("What is the weather in Rome?");
  const { content } = await create([question], { tools: [weather] });
  const result = { type: "tool_result", tool_use_id: content[0].id, content: "sunny" };
  await create([question, { role: "assistant", content }, user([result])], { tools: [weather] });
  await failing(() => create([user("Fail.")]));
}
