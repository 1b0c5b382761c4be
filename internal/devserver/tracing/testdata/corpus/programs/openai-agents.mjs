// The Agents SDK of OpenAI with OpenInference, which translates its traces.
import { OpenAIAgentsInstrumentation } from "@arizeai/openinference-instrumentation-openai-agents";
import * as agents from "@openai/agents";
import { useAgents } from "./_agents.mjs";
import { provider } from "./_spans.mjs";

new OpenAIAgentsInstrumentation({ tracerProvider: provider }).manuallyInstrument(agents);
await useAgents();
await provider.shutdown();
