import { expect } from "@jest/globals";
import * as ls from "langsmith/jest";
import { suite } from "./suite.mjs";

suite(ls, expect);
