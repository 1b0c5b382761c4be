package run

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/postgrestest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
)

// rollupBegin is when the runs of these tests begin: a moment before midnight, so that traces reach the next day.
var rollupBegin = time.Date(2026, 5, 2, 23, 50, 0, 0, time.UTC)

// logged is what a test sends about a run.
type logged struct {
	id, parent, trace, order string
	start                    time.Time
	project, kind, name      string
	model                    string // Empty if it names none.
}

// What runs of these tests are called, and the models that they call.
var testNames, testModels = []string{"plan", "answer", "look up", "nachfragen"}, []string{"model-s", "model-l"}

// newTrace returns the runs of a random trace. Some start long after their root, and some in another project.
func newTrace(random *rand.Rand, begin time.Time, size int) []logged {
	kinds := []string{"chain", "llm", "llm", "tool"}
	all := make([]logged, 0, size)
	for i := range size {
		one := logged{
			id: uuid.NewString(), start: begin, project: []string{"a", "b"}[random.IntN(2)], kind: "chain", name: testNames[random.IntN(len(testNames))],
		}
		segment := func() string {
			return strings.Replace(one.start.Format("20060102T150405.000000Z"), ".", "", 1) + one.id
		}
		if i == 0 {
			one.trace, one.order = one.id, segment()
			all = append(all, one)
			continue
		}
		parent := all[random.IntN(len(all))]
		one.parent, one.trace, one.kind = parent.id, parent.trace, kinds[random.IntN(len(kinds))]
		if one.kind == "llm" && random.IntN(4) > 0 {
			one.model = testModels[random.IntN(len(testModels))]
		}
		one.project = all[0].project
		if random.IntN(20) == 0 {
			one.project = []string{"a", "b", "c"}[random.IntN(3)]
		}
		spread := []time.Duration{time.Second, time.Second, 20 * time.Minute, 30 * time.Hour}[random.IntN(4)]
		one.start = parent.start.Add(time.Duration(random.Int64N(int64(spread)))).Truncate(time.Microsecond)
		one.order = parent.order + "." + segment()
		all = append(all, one)
	}
	return all
}

// operations returns posts and patches of a run. Some are repeated, and some correct it.
func (l logged) operations(random *rand.Rand, placed bool) (all []map[string]any) {
	about := func(fields map[string]any) map[string]any {
		fields["id"] = l.id
		if l.parent != "" {
			fields["parent_run_id"] = l.parent
		}
		if placed {
			fields["trace_id"], fields["dotted_order"] = l.trace, l.order
		}
		return fields
	}
	post := about(map[string]any{"name": l.name, "run_type": l.kind, "session_name": l.project, "start_time": l.start.Format(time.RFC3339Nano)})
	named := func(model string) map[string]any {
		return map[string]any{"metadata": map[string]any{"ls_model_name": model}}
	}
	if l.model != "" {
		post["extra"] = named(l.model)
	}
	ended := l.start.Add(time.Duration(random.Int64N(int64(time.Hour))).Truncate(time.Microsecond))
	patch := about(map[string]any{"end_time": ended.Format(time.RFC3339Nano)})
	if random.IntN(8) == 0 {
		patch["error"] = "boom"
	}
	if l.kind == "llm" && random.IntN(5) > 0 {
		usage := map[string]any{
			"input_tokens": random.IntN(1000), "output_tokens": random.IntN(100), "input_token_details": map[string]any{"cache_read": random.IntN(50)},
		}
		if random.IntN(3) > 0 {
			usage["input_cost"], usage["output_cost"] = fmt.Sprintf("0.%06d", random.IntN(1e6)), fmt.Sprintf("0.%07d", random.IntN(1e6))
		}
		patch["outputs"] = map[string]any{"usage_metadata": usage}
		patch["events"] = []any{map[string]any{"name": "new_token", "time": l.start.Add(time.Duration(random.IntN(5000)) * time.Millisecond).Format(time.RFC3339Nano)}}
	}
	all = []map[string]any{{"post": post}, {"patch": patch}}
	switch random.IntN(15) {
	case 3: // It has another name.
		all = append(all, map[string]any{"patch": about(map[string]any{"name": testNames[random.IntN(len(testNames))]})})
	case 4: // It has called another model.
		all = append(all, map[string]any{"patch": about(map[string]any{"extra": named(testModels[random.IntN(len(testModels))])})})
	case 5: // It has failed.
		all = append(all, map[string]any{"patch": about(map[string]any{"error": "late"})})
	case 0:
		all = append(all, all[0], all[1])
	case 1: // It started at another time.
		at := l.start.Add(time.Duration(random.IntN(100)-50) * time.Minute)
		all = append(all, map[string]any{"patch": about(map[string]any{"start_time": at.Format(time.RFC3339Nano)})})
	case 2: // It belongs to another project.
		all = append(all, map[string]any{"patch": about(map[string]any{"session_name": "b"})})
	}
	return all
}

// expected are figures as a test computes them from the stored runs.
type expected struct {
	Runs, Failed, Streamed                int
	Prompt, Completion, Total, CacheReads int64
	Unpriced, UnpricedTokens              int64
	Cost                                  string
	Last                                  time.Time
	P50, P99                              [6]float64 // Latency, first token, tokens, costs, and tokens of prompts and completions.
}

// lineages are stored runs, with the runs in the dotted order of each.
type lineages struct {
	rows   []store.Run
	above  [][]int
	models map[string]string // By run.
	began  map[string]time.Time
	priced map[string]bool // Runs that have a cost, or one of those below.
}

func newLineages(rows []store.Run, models map[string]string) lineages {
	byID := map[string]int{}
	for i, row := range rows {
		byID[row.ID] = i
	}
	l := lineages{rows, make([][]int, len(rows)), models, map[string]time.Time{}, map[string]bool{}}
	for i, row := range rows {
		if row.ParentRunID == nil {
			l.began[row.ID] = row.StartTime
		}
		if row.DottedOrder == nil {
			l.above[i] = []int{i}
			l.priced[row.ID] = row.TotalCost != nil
			continue
		}
		for segment := range strings.SplitSeq(*row.DottedOrder, ".") {
			if above, known := byID[segment[strings.Index(segment, "Z")+1:]]; known && rows[above].TraceID == row.TraceID {
				l.above[i] = append(l.above[i], above)
				l.priced[rows[above].ID] = l.priced[rows[above].ID] || row.TotalCost != nil
			}
		}
	}
	return l
}

// expected computes figures: each stored run counts for those in its dotted order that are asked for.
func (l lineages) expected(wanted func(store.Run) bool) expected {
	rows, asked := l.rows, make([]bool, len(l.rows))
	for i, row := range rows {
		asked[i] = wanted(row)
	}
	type below struct {
		tokens, prompt, completion int64
		cost                       *big.Rat
		first                      *time.Time
	}
	sums := make([]*below, len(rows))
	var e expected
	cost, hasCost := new(big.Rat), false
	for i, row := range rows {
		counts := false
		for _, above := range l.above[i] {
			if !asked[above] {
				continue
			}
			counts = true
			if sums[above] == nil {
				sums[above] = &below{}
			}
			sum := sums[above]
			sum.tokens += row.TotalTokens
			sum.prompt, sum.completion = sum.prompt+row.PromptTokens, sum.completion+row.CompletionTokens
			if first := row.FirstTokenTime; first != nil && (sum.first == nil || first.Before(*sum.first)) {
				sum.first = first
			}
			if row.TotalCost != nil {
				own, _ := new(big.Rat).SetString(*row.TotalCost)
				if sum.cost == nil {
					sum.cost = new(big.Rat)
				}
				sum.cost.Add(sum.cost, own)
			}
		}
		if !counts {
			continue
		}
		e.Prompt, e.Completion, e.Total = e.Prompt+row.PromptTokens, e.Completion+row.CompletionTokens, e.Total+row.TotalTokens
		var stored struct {
			Details map[string]json.Number `json:"prompt_token_details"`
		}
		_ = json.Unmarshal([]byte(row.Figures), &stored)
		reads, _ := stored.Details["cache_read"].Int64()
		e.CacheReads += reads
		switch {
		case row.TotalCost != nil:
			own, _ := new(big.Rat).SetString(*row.TotalCost)
			cost, hasCost = cost.Add(cost, own), true
		case row.RunType == "llm" || row.RunType == "embedding":
			e.Unpriced, e.UnpricedTokens = e.Unpriced+1, e.UnpricedTokens+row.TotalTokens
		}
	}
	if hasCost {
		e.Cost = cost.FloatString(12)
	}
	var values [6][]float64
	for i, row := range rows {
		if !asked[i] {
			continue
		}
		e.Runs++
		if row.Error != nil {
			e.Failed++
		}
		if row.StartTime.After(e.Last) {
			e.Last = row.StartTime
		}
		if row.EndTime != nil {
			values[0] = append(values[0], row.EndTime.Sub(row.StartTime).Seconds())
		}
		sum := sums[i]
		if sum == nil {
			sum = &below{}
		}
		values[2] = append(values[2], float64(sum.tokens))
		values[4], values[5] = append(values[4], float64(sum.prompt)), append(values[5], float64(sum.completion))
		if sum.first != nil {
			e.Streamed++
			values[1] = append(values[1], max(0, sum.first.Sub(row.StartTime).Seconds()))
		}
		if sum.cost != nil {
			amount, _ := sum.cost.Float64()
			values[3] = append(values[3], amount)
		}
	}
	for i, some := range values {
		e.P50[i], e.P99[i] = interpolated(some, 0.5), interpolated(some, 0.99)
	}
	for _, tokens := range []int{2, 4, 5} {
		e.P50[tokens], e.P99[tokens] = math.Round(e.P50[tokens]), math.Round(e.P99[tokens])
	}
	return e
}

func interpolated(values []float64, share float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	slices.Sort(values)
	at := share * float64(len(values)-1)
	low := int(at)
	high := min(low+1, len(values)-1)
	return values[low] + (at-float64(low))*(values[high]-values[low])
}

// got returns figures for comparison.
func got(f *figure.Figures) expected {
	stats := f.Stats()
	number := func(p *float64) float64 {
		if p == nil {
			return math.NaN()
		}
		return *p
	}
	amount := func(p *json.Number) float64 {
		if p == nil {
			return math.NaN()
		}
		n, _ := p.Float64()
		return n
	}
	e := expected{
		Runs: int(stats.RunCount), Failed: f.Failed, Prompt: stats.PromptTokens, Completion: stats.CompletionTokens, Total: stats.TotalTokens,
		Unpriced: f.Sum.UnpricedRuns, UnpricedTokens: f.Sum.UnpricedTokens, Last: f.LastStart,
		P50: [6]float64{
			number(stats.LatencyP50), number(stats.FirstTokenP50), number(stats.MedianTokens), amount(stats.CostP50),
			number(stats.PromptTokensP50), number(stats.CompletionTokensP50),
		},
		P99: [6]float64{
			number(stats.LatencyP99), number(stats.FirstTokenP99), number(stats.TokensP99), amount(stats.CostP99),
			number(stats.PromptTokensP99), number(stats.CompletionTokensP99),
		},
	}
	if stats.StreamingRate != nil {
		e.Streamed = int(math.Round(*stats.StreamingRate * float64(f.Runs)))
	}
	reads, _ := stats.PromptTokenDetails["cache_read"].Int64()
	e.CacheReads = reads
	if f.Sum.TotalCost != nil {
		cost, _ := new(big.Rat).SetString(f.Sum.TotalCost.String())
		e.Cost = cost.FloatString(12)
	}
	if e.Runs == 0 {
		for _, tokens := range []int{2, 4, 5} {
			e.P50[tokens], e.P99[tokens] = math.NaN(), math.NaN()
		}
	}
	return e
}

// sameFigures compares figures; percentiles may differ by a share.
func sameFigures(want, got expected, share float64) string {
	return cmp.Diff(want, got, cmp.Comparer(func(a, b float64) bool {
		return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= share*math.Abs(a)+1e-9
	}))
}

// readLineages reads all runs.
func readLineages(tx *store.Tx) (lineages, error) {
	f, models := store.RunFilter{WorkspaceID: rest.DefaultWorkspaceID}, map[string]string{}
	err := tx.EachTiming(f, store.RunGroup{Labels: &store.LabelGroup{Kind: store.Metadata, Key: "ls_model_name"}}, func(r store.RunTiming) error {
		models[r.ID] = r.Group
		return nil
	})
	var all []store.Run
	var after *store.RunCursor
	for err == nil {
		var rows []store.Run
		rows, err = tx.Runs(f, false, after, 10_000)
		if all = append(all, rows...); len(rows) < 10_000 {
			break
		}
		last := rows[len(rows)-1]
		after = &store.RunCursor{StartTime: last.StartTime, Seq: last.Seq}
	}
	return newLineages(all, models), err
}

// property is a property of runs by which tests select and group them.
type property struct {
	name  string
	of    func(lineages, store.Run) string
	where string // The filter for a value.
	by    store.RunGroup
	set   func(*store.RunFilter) // In place of a value, if it is set: tools, or what is directly below a root.
}

func nameOf(_ lineages, r store.Run) string { return r.Name }

var testProperties = []property{
	{name: "none", of: func(lineages, store.Run) string { return "" }},
	{name: "type", of: func(_ lineages, r store.Run) string { return r.RunType }, where: `eq(run_type, %q)`, by: store.RunGroup{Column: store.ByRunType}},
	{name: "status", of: func(_ lineages, r store.Run) string { return r.Status }, where: `eq(status, %q)`, by: store.RunGroup{Column: store.ByStatus}},
	{name: "name", of: nameOf, where: `eq(name, %q)`, by: store.RunGroup{Column: store.ByName}},
	{
		name: "model", of: func(l lineages, r store.Run) string { return l.models[r.ID] },
		where: `and(eq(metadata_key, "ls_model_name"), eq(metadata_value, %q))`,
		by:    store.RunGroup{Labels: &store.LabelGroup{Kind: store.Metadata, Key: "ls_model_name"}},
	},
	{
		name: "name of a tool", of: nameOf, where: `eq(name, %q)`, by: store.RunGroup{Column: store.ByName},
		set: func(f *store.RunFilter) { f.RunType = "tool" },
	},
	{
		name: "name below a root", of: nameOf, where: `eq(name, %q)`, by: store.RunGroup{Column: store.ByName},
		set: func(f *store.RunFilter) { f.BelowRoot = true },
	},
	{
		name: "unpriced", of: func(lineages, store.Run) string { return "" },
		set: func(f *store.RunFilter) {
			f.Where, _ = filter.Parse(`and(in(run_type, ["llm", "embedding"]), eq(total_cost, null))`)
			f.Subtrees = true
		},
	},
}

// question is what figures are asked for.
type question struct {
	property
	filter  store.RunFilter
	grouped bool
	value   string // Of the property.
	starts  []time.Time
	began   [2]time.Time // Between which traces begin, if calls without a cost are asked for.
}

// since asks for calls without a cost in traces that began in the time range, or without what began in part of it.
func (q *question) since(random *rand.Rand, from, to time.Time) {
	q.began = [2]time.Time{from, to}
	if random.IntN(2) == 0 {
		q.began[1] = to.Add(-to.Sub(from) / 3).Truncate([]time.Duration{time.Microsecond, time.Hour}[random.IntN(2)])
	}
	q.filter.RootWhere, _ = filter.Parse(fmt.Sprintf("and(gte(start_time, %q), lt(start_time, %q))",
		q.began[0].Format(time.RFC3339Nano), q.began[1].Format(time.RFC3339Nano)))
}

// newQuestion asks for something that is rolled up.
func newQuestion(random *rand.Rand, projects []string, values map[string][]string) question {
	q := question{property: testProperties[random.IntN(len(testProperties))]}
	q.filter = store.RunFilter{WorkspaceID: rest.DefaultWorkspaceID, ProjectIDs: projects[:1]}
	switch {
	case q.set != nil:
		q.set(&q.filter)
	case random.IntN(2) == 0:
		q.filter.Root = new(true)
		if random.IntN(4) == 0 {
			q.filter.ProjectIDs = projects
		}
	}
	if q.where == "" {
		return q
	}
	of := values[q.name]
	if q.grouped = random.IntN(2) == 0; len(of) > 0 {
		q.value = of[random.IntN(len(of))]
	}
	if !q.grouped {
		q.filter.Where, _ = filter.Parse(fmt.Sprintf(q.where, q.value))
	}
	return q
}

func (q question) String() string {
	return fmt.Sprintf("%s %q (grouped %v) in %d projects, roots %v", q.name, q.value, q.grouped, len(q.filter.ProjectIDs), q.filter.Root != nil)
}

// wants reports whether the question is about a run, apart from its time.
func (q question) wants(l lineages, r store.Run) bool {
	f := q.filter
	if q.name == "unpriced" {
		began, known := l.began[r.TraceID]
		if r.RunType != "llm" || l.priced[r.ID] || !known || began.Before(q.began[0]) || !began.Before(q.began[1]) {
			return false
		}
	}
	return slices.Contains(f.ProjectIDs, r.ProjectID) && (f.Root == nil || r.ParentRunID == nil) && (f.RunType == "" || f.RunType == r.RunType) &&
		(!f.BelowRoot || r.ParentRunID != nil && *r.ParentRunID == r.TraceID) && q.of(l, r) == q.value && (q.name != "model" || l.models[r.ID] != "")
}

// valuesOf returns the values that runs have, by the names of properties.
func (l lineages) values() map[string][]string {
	all := map[string][]string{}
	for _, p := range testProperties {
		for _, row := range l.rows {
			if value := p.of(l, row); !slices.Contains(all[p.name], value) {
				all[p.name] = append(all[p.name], value)
			}
		}
	}
	return all
}

// compareFigures compares the figures of random projects, properties and time ranges, with and without steps and groups, with those of all
// stored runs.
func compareFigures(t *testing.T, db *store.Store, random *rand.Rand, when string, times int, days int, share float64) {
	t.Helper()
	must(t, db.Read(t.Context(), func(tx *store.Tx) error {
		all, err := readLineages(tx)
		if err != nil {
			return err
		}
		values := all.values()
		for i := range times {
			projects := make([]string, 2)
			for n, name := range [][]string{{"a", "b"}, {"b", "a"}}[random.IntN(2)] {
				project, err := tx.ProjectNamed(rest.DefaultWorkspaceID, name)
				if err != nil {
					return err
				}
				projects[n] = project.ID
			}
			q := newQuestion(random, projects, values)
			unit := []time.Duration{time.Microsecond, time.Minute, 15 * time.Minute, 24 * time.Hour}[random.IntN(4)]
			span := time.Duration(days+2) * 24 * time.Hour
			from := rollupBegin.Add(time.Duration(random.Int64N(int64(span))) - 24*time.Hour).Truncate(unit)
			to := from.Add(max(unit, time.Duration(random.Int64N(int64(span))).Truncate(unit)))
			q.filter.From, q.filter.To = &from, &to
			q.starts = []time.Time{from}
			if q.name == "unpriced" {
				q.since(random, from, to)
			}
			switch {
			case i%5 == 0:
				q.filter.From, q.filter.To = nil, nil
			case random.IntN(3) == 0: // Days of another time zone.
				for at := from.Truncate(24 * time.Hour).Add(time.Duration(random.IntN(96)) * 15 * time.Minute); at.Before(to); at = at.Add(24 * time.Hour) {
					if at.After(from) {
						q.starts = append(q.starts, at)
					}
				}
			case random.IntN(2) == 0:
				q.starts = figure.Starts(from, to, max(unit, to.Sub(from)/time.Duration(1+random.IntN(30))).Truncate(unit))
			}
			groups, err := figure.InGroups(tx, q.filter, map[bool]store.RunGroup{true: q.by}[q.grouped], q.starts, true)
			if err != nil {
				return err
			}
			steps := groups[map[bool]string{true: q.value}[q.grouped]]
			for range 3 {
				n := random.IntN(len(q.starts))
				one, end := &figure.Figures{}, to
				if steps != nil {
					one = steps[n]
				}
				if n+1 < len(q.starts) {
					end = q.starts[n+1]
				}
				want := all.expected(func(r store.Run) bool {
					return q.wants(all, r) && (q.filter.From == nil || !r.StartTime.Before(q.starts[n]) && r.StartTime.Before(end))
				})
				if diff := sameFigures(want, got(one), share); diff != "" {
					t.Fatalf("%s: %s, from %s to %s (-want +got):\n%s", when, q, q.starts[n], end, diff)
				}
			}
		}
		return nil
	}))
}

func rollAll(t *testing.T, db *store.Store) {
	t.Helper()
	_, err := db.Leads(t.Context(), "figures") // What others would compute isn't stored.
	must(t, err)
	roller := figure.NewRoller(db)
	for more := true; more; {
		if more, err = roller.Slice(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRollerRuns waits until figures are rolled up in the background, and ends that. What it stores doesn't count among the transactions
// that have changed something: pages are shown again after each of these.
func TestRollerRuns(t *testing.T) {
	t.Parallel()
	db, err := store.Open(t.Context(), postgrestest.New(t, store.Open))
	must(t, err)
	defer func() { _ = db.Close() }()
	saveTraces(t, db, rand.New(rand.NewPCG(4, 4)), 2, 20)
	before := db.Commits()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		figure.NewRoller(db).Run(ctx, func(err error) { t.Error(err) })
	}()
	for left := 1; left > 0; {
		must(t, db.Read(t.Context(), func(tx *store.Tx) error {
			marks, err := tx.RollupMarks(1)
			left = len(marks)
			return err
		}))
	}
	cancel()
	<-ended
	if after := db.Commits(); after != before {
		t.Errorf("%d transactions count, want %d", after, before)
	}
	compareFigures(t, db, rand.New(rand.NewPCG(4, 5)), "rolled up", 10, 2, 0)
}

// TestRolledUpMeanwhile logs runs while figures are computed without them. These must not be used.
func TestRolledUpMeanwhile(t *testing.T) {
	t.Parallel()
	db, err := store.Open(t.Context(), postgrestest.New(t, store.Open))
	must(t, err)
	defer func() { _ = db.Close() }()
	service := New(db, func() time.Time { return rollupBegin }, limits.NewMemory(limits.BodiesTogether))
	random := rand.New(rand.NewPCG(3, 3))
	log := func() {
		for range 4 {
			for _, run := range newTrace(random, rollupBegin, 5) {
				logOperations(t, service, run.operations(random, true))
			}
		}
	}
	for range 3 {
		log()
		roller := figure.NewRoller(db)
		computed, err := roller.Compute(t.Context())
		must(t, err)
		log()
		must(t, roller.Save(t.Context(), computed))
		rollAll(t, db)
		compareFigures(t, db, random, "rolled up", 20, 2, 0)
	}
}

// logOperations logs posts and patches in a batch.
func logOperations(t *testing.T, service *Service, operations []map[string]any) {
	t.Helper()
	batch := map[string][]any{}
	for _, one := range operations {
		for kind, run := range one {
			batch[kind] = append(batch[kind], run)
		}
	}
	body, err := json.Marshal(batch)
	must(t, err)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/runs/batch", strings.NewReader(string(body)))
	if _, err := service.ingestBatch(r, rest.DefaultWorkspaceID); err != nil {
		t.Fatal(err)
	}
}
