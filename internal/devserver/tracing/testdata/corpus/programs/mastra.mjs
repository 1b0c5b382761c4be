// Mastra with its own exporter of spans.
import { OtelExporter } from "@mastra/otel-exporter";
import { useMastra } from "./_mastra.mjs";

await useMastra(new OtelExporter({ provider: { custom: { endpoint: `${process.env.OTEL_EXPORTER_OTLP_ENDPOINT}/v1/traces`, protocol: "http/protobuf" } } }));
