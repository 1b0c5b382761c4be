// The client of the tracing service, to which the Agents SDK of OpenAI reports.
import * as agents from "@openai/agents";
import { Client } from "langsmith";
import { OpenAIAgentsTracingProcessor } from "langsmith/wrappers/openai_agents";
import { useAgents } from "./_agents.mjs";

const client = new Client();
agents.setTraceProcessors([new OpenAIAgentsTracingProcessor({ client })]);
await useAgents();
await client.awaitPendingTraceBatches();
