import { provider } from "./_spans.mjs";
import * as callbackManagerModule from "@langchain/core/callbacks/manager";
import { LangChainInstrumentation } from "@traceloop/instrumentation-langchain";
import { useLangChain } from "./_langchain.mjs";

const instrumentation = new LangChainInstrumentation();
instrumentation.setTracerProvider(provider);
instrumentation.manuallyInstrument({ callbackManagerModule });
await useLangChain();
await provider.shutdown();
