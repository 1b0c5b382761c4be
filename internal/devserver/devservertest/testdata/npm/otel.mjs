// Exports a trace by one of OpenTelemetry's own exporters: an agent that asks a model, which streams and calls a tool, which
// fails. Where to send it, and with which headers, the exporter reads from the environment.
import { context, SpanStatusCode, trace } from "@opentelemetry/api";
import { OTLPTraceExporter as Binary } from "@opentelemetry/exporter-trace-otlp-proto";
import { OTLPTraceExporter as Text } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";

const exporter = process.env.EXPORTER === "proto" ? new Binary() : new Text();
const failures = [];
const send = exporter.export.bind(exporter);
exporter.export = (spans, done) => send(spans, (result) => { if (result.error) failures.push(result.error); done(result); });
const provider = new NodeTracerProvider({
  resource: resourceFromAttributes({ "service.name": "agent" }),
  // One sends each span by itself when it has ended, the other the trace as a whole.
  spanProcessors: [process.env.EXPORTER === "proto" ? new BatchSpanProcessor(exporter) : new SimpleSpanProcessor(exporter)],
});
const tracer = provider.getTracer("tests", "1.0");
const at = (ms) => new Date(Date.UTC(2026, 4, 2, 10) + ms);

const agent = tracer.startSpan("invoke_agent", { startTime: at(0), attributes: {
  "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "weather", "gen_ai.conversation.id": "thread-1",
  "gen_ai.usage.input_tokens": 20, "gen_ai.usage.output_tokens": 10,
} });
const below = trace.setSpan(context.active(), agent);

const chat = tracer.startSpan("chat example-large", { startTime: at(0), attributes: {
  "gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "example-large", "gen_ai.request.temperature": 0.5,
  "gen_ai.input.messages": JSON.stringify([{ role: "user", parts: [{ type: "text", content: "What is the weather?" }] }]),
} }, below);
chat.addEvent("new_token", {}, at(250));
chat.addEvent("new_token", {}, at(500));
chat.setAttributes({
  "gen_ai.output.messages": JSON.stringify([{ role: "assistant", finish_reason: "tool_call",
    parts: [{ type: "tool_call", id: "call_1", name: "weather", arguments: { city: "Rome" } }] }]),
  "gen_ai.usage.input_tokens": 20, "gen_ai.usage.output_tokens": 10, "gen_ai.usage.cache_read.input_tokens": 5,
  "gen_ai.response.finish_reasons": ["tool_call"],
});
chat.setStatus({ code: SpanStatusCode.OK });
chat.end(at(1000));

const tool = tracer.startSpan("execute_tool weather", { startTime: at(1000), attributes: {
  "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "weather", "gen_ai.tool.call.id": "call_1",
  "gen_ai.tool.call.arguments": JSON.stringify({ city: "Rome" }),
} }, below);
tool.recordException(new Error("no such city"), at(1500));
tool.setStatus({ code: SpanStatusCode.ERROR });
tool.end(at(1500));
agent.end(at(2000));

await provider.shutdown();
if (failures.length > 0) throw failures[0];
console.log(JSON.stringify({ root: agent.spanContext().spanId, trace: agent.spanContext().traceId }));
