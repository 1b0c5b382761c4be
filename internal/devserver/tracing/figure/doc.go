// Package figure computes the figures of runs: tokens, costs, latencies, times to the first token and error rates, of one run, of a run
// with everything below it, of groups of runs, and in steps of a chart.
//
// A run reports its own tokens and costs only. What is asked for is nearly always more: a trace's costs are those of all runs below its
// root, a conversation's those of its traces, a project's those of its root runs. So figures are added up along a run's lineage, its
// ancestors as its dotted order names them, and no run counts twice. Times and outcomes, on the other hand, are those of the runs that
// were asked for. Amounts are exact decimals, and are added in any order.
//
// [Own] and [Rollup] are about single runs, and [InOne] and [InGroups] about the runs of a project over time. Nobody waits for a million runs to
// be added up: a [Roller] keeps the figures of quarters of an hour and of days, by type, status, name and model, and InGroups reads these. What
// changes runs marks the quarters whose figures depend on them, in the same transaction, and marked figures are computed from the runs. So
// figures are always those of all runs, whether they are rolled up or not; only percentiles of more than limits.ExactPercentiles runs are
// estimated from sketches.
package figure
