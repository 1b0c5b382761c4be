import { OpenAIInstrumentation } from "@traceloop/instrumentation-openai";
import OpenAI from "openai";
import { useOpenAI } from "./_openai.mjs";
import { provider } from "./_spans.mjs";

const instrumentation = new OpenAIInstrumentation();
instrumentation.setTracerProvider(provider);
instrumentation.manuallyInstrument(OpenAI);
await useOpenAI(new OpenAI({ apiKey: "fake", baseURL: `${process.env.MODEL}/v1`, maxRetries: 0 }));
await provider.shutdown();
