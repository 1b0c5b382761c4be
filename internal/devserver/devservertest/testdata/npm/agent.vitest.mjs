import * as ls from "langsmith/vitest";
import { expect } from "vitest";
import { suite } from "./suite.mjs";

suite(ls, expect);
