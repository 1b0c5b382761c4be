// What programs do with the package of OpenAI. Messages of other packages have the same texts.
export const weather = {
  type: "function",
  function: { name: "weather", description: "Returns the weather.", parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] } },
};
const city = { type: "object", properties: { city: { type: "string" } }, required: ["city"], additionalProperties: false };

export const failing = async (call) => {
  try {
    await call();
  } catch (error) {
    if (/overloaded/.test(error.message)) return;
    throw error;
  }
  throw new Error("the call should fail");
};

export async function useOpenAI(client) {
  const model = "gpt-4.1-mini";
  const brief = [{ role: "system", content: "Be brief." }, { role: "user", content: "What is the capital of Italy?" }];
  const chat = (messages, more) => client.chat.completions.create({ model, messages, ...more });
  const user = (content) => [{ role: "user", content }];

  await chat(brief, { temperature: 0.5 });
  await client.responses.create({ model, instructions: "Be brief.", input: "What is the capital of Italy?" });
  for await (const _ of await chat(user("Count to three."), { stream: true, stream_options: { include_usage: true } }));
  for await (const _ of await client.responses.create({ model, input: user("Count to three."), stream: true }));

  const question = user("What is the weather in Rome?");
  const { choices: [{ message }] } = await chat(question, { tools: [weather] });
  await chat([...question, message, { role: "tool", tool_call_id: message.tool_calls[0].id, content: "sunny" }], { tools: [weather] });

  await client.embeddings.create({ model: "text-embedding-3-small", input: "Rome is a city." });
  await chat(user("Name a city."), { response_format: { type: "json_schema", json_schema: { name: "city", strict: true, schema: city } } });
  await failing(() => chat(user("Fail.")));
}
