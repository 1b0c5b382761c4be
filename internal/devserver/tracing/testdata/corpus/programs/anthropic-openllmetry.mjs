import * as anthropic from "@anthropic-ai/sdk-0";
import { AnthropicInstrumentation } from "@traceloop/instrumentation-anthropic";
import { useAnthropic } from "./_anthropic.mjs";
import { provider } from "./_spans.mjs";

const instrumentation = new AnthropicInstrumentation();
instrumentation.setTracerProvider(provider);
instrumentation.manuallyInstrument(anthropic);
await useAnthropic(new anthropic.Anthropic({ apiKey: "fake", baseURL: process.env.MODEL, maxRetries: 0 }));
await provider.shutdown();
