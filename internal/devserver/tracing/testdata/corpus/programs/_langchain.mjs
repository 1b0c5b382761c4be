// What programs do with LangChain and LangGraph.
import { ChatAnthropic } from "@langchain/anthropic";
import { Document } from "@langchain/core/documents";
import { BaseRetriever } from "@langchain/core/retrievers";
import { MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent, tool } from "langchain";
import { z } from "zod";
import { failing } from "./_openai.mjs";

class Cities extends BaseRetriever {
  lc_namespace = ["corpus"];
  async _getRelevantDocuments() {
    return [new Document({ pageContent: "Rome is a city.", metadata: { source: "atlas" } })];
  }
}

export async function useLangChain() {
  const settings = { apiKey: "fake", maxRetries: 0 };
  const gpt = new ChatOpenAI({ ...settings, model: "gpt-4.1-mini", temperature: 0.5, configuration: { baseURL: `${process.env.MODEL}/v1` } });
  const claude = new ChatAnthropic({ ...settings, model: "claude-sonnet-5-5", anthropicApiUrl: process.env.MODEL });
  const brief = [{ role: "system", content: "Be brief." }, { role: "user", content: "What is the capital of Italy?" }];

  await gpt.invoke(brief);
  await claude.invoke(brief);
  for await (const _ of await gpt.stream("Count to three."));
  for await (const _ of await claude.stream("Count to three."));

  const weather = tool(async () => "sunny", { name: "weather", description: "Returns the weather.", schema: z.object({ city: z.string() }) });
  const agent = createAgent({ model: gpt, tools: [weather], name: "forecaster" });
  const question = { messages: [{ role: "user", content: "What is the weather in Rome?" }] };
  await agent.invoke(question, { configurable: { thread_id: "conversation-1" }, metadata: { thread_id: "conversation-1" } });

  const graph = new StateGraph(MessagesAnnotation).addNode("answer", async ({ messages }) => ({ messages: [await gpt.invoke(messages)] }))
    .addEdge("__start__", "answer").addEdge("answer", "__end__").compile({ name: "graph" });
  await graph.invoke({ messages: [{ role: "user", content: "Count to three." }] });

  await new Cities().invoke("Rome");
  await gpt.withStructuredOutput(z.object({ city: z.string() }), { name: "city" }).invoke("Name a city.");
  await failing(() => gpt.invoke("Fail."));
}
