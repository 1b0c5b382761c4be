import { LangChainInstrumentation } from "@arizeai/openinference-instrumentation-langchain";
import * as callbacks from "@langchain/core/callbacks/manager";
import { useLangChain } from "./_langchain.mjs";
import { provider } from "./_spans.mjs";

const instrumentation = new LangChainInstrumentation({ tracerProvider: provider });
instrumentation.manuallyInstrument(callbacks);
await useLangChain();
await provider.shutdown();
