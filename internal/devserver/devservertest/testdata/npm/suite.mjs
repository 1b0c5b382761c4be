// A suite for both test runners, of which one test fails on purpose.
export function suite(ls, expect) {
  ls.describe("geography", () => {
    const correct = ({ outputs, referenceOutputs }) => ({ key: "correct", score: outputs.capital === referenceOutputs.capital ? 1 : 0 });
    for (const [country, capital] of [["France", "Paris"], ["Spain", "Madrid"]]) {
      ls.test(country, { inputs: { country }, referenceOutputs: { capital } }, async ({ inputs, referenceOutputs }) => {
        const outputs = { capital: { France: "Paris", Spain: "Barcelona" }[inputs.country] };
        ls.logOutputs(outputs);
        const { score } = await ls.wrapEvaluator(correct)({ outputs, referenceOutputs });
        expect(score).toBe(1);
      });
    }
  });
}
