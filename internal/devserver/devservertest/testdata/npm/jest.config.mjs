export default { testMatch: ["**/agent.jest.mjs"], testEnvironment: "node", transform: {}, reporters: ["langsmith/jest/reporter"], moduleFileExtensions: ["mjs", "js", "json"] };
