// Mastra with its exporter of runs, which uses the client of the tracing service.
import { LangSmithExporter } from "@mastra/langsmith";
import { useMastra } from "./_mastra.mjs";

await useMastra(new LangSmithExporter());
