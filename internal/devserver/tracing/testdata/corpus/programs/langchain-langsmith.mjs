// The client of the tracing service, as LangChain uses it.
import { awaitAllCallbacks } from "@langchain/core/callbacks/promises";
import { useLangChain } from "./_langchain.mjs";

await useLangChain();
await awaitAllCallbacks();
