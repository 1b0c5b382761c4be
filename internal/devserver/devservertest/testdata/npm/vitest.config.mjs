export default { test: { include: ["agent.vitest.mjs"], reporters: ["langsmith/vitest/reporter"] } };
