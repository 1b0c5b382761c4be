package store_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// randomness draws what runs consist of and what filters ask for from the same few values, so that many filters hold for some runs.
type randomness struct{ *rand.Rand }

func one[T any](r randomness, of ...T) T { return of[r.IntN(len(of))] }

func maybe[T any](r randomness, of ...T) *T {
	if r.IntN(3) == 0 {
		return nil
	}
	return new(one(r, of...))
}

var (
	someIDs    = []string{"6ba7b810-9dad-41d1-80b4-00c04fd430c1", "6ba7b810-9dad-41d1-80b4-00c04fd430c2", "6ba7b810-9dad-41d1-80b4-00c04fd430c3"}
	someTexts  = []string{"Chat", "chat", "a%b", "a_b", `a\b`, "ä", "", "2", "2.5", "true", `say "x"`}
	someKeys   = []string{"k", "K", "a b"}
	someCounts = []int64{0, 2, 10}
	someCosts  = []string{"0.1", "2", "2.50"}
)

// aRun is a run as the store keeps it, and as a filter sees it.
type aRun struct {
	store.Run
	tags     []string
	metadata []store.Label
	feedback []store.Feedback
	// inputs and outputs are objects of texts, numbers, booleans, null and objects; nil if the run has none.
	inputs, outputs map[string]any
}

func (r randomness) run() aRun {
	a := aRun{Run: run(uuid.NewString(), r.IntN(3))}
	if parent := maybe(r, someIDs...); parent != nil {
		a.ParentRunID, a.TraceID = parent, one(r, someIDs...)
	}
	a.Name, a.RunType, a.Status = one(r, someTexts...), one(r, "llm", "chain"), one(r, "success", "error")
	if ms := maybe(r, 0, 2000, 2500); ms != nil {
		a.EndTime = new(a.StartTime.Add(time.Duration(*ms) * time.Millisecond))
	}
	a.FirstTokenTime = maybe(r, at, at.Add(time.Second))
	a.Error, a.ThreadID = maybe(r, someTexts...), maybe(r, someTexts...)
	a.PromptTokens, a.CompletionTokens, a.TotalTokens = one(r, someCounts...), one(r, someCounts...), one(r, someCounts...)
	a.PromptCost, a.CompletionCost, a.TotalCost = maybe(r, someCosts...), maybe(r, someCosts...), maybe(r, someCosts...)
	a.Figures = one(r, "{}", `{"prompt_token_details": {"cache_read": 2}}`, `{"total_cost_details": {"cache_read": 2}}`)
	for range r.IntN(3) {
		a.tags = append(a.tags, one(r, someTexts...))
		a.metadata = append(a.metadata, store.Label{Kind: store.Metadata, Key: one(r, append(someKeys, "ls_user_id")...), Value: one(r, someTexts...)})
	}
	slices.SortFunc(a.metadata, func(a, b store.Label) int { return strings.Compare(a.Key, b.Key) })
	a.metadata = slices.CompactFunc(a.metadata, func(a, b store.Label) bool { return a.Key == b.Key })
	for range r.IntN(3) {
		a.feedback = append(a.feedback, store.Feedback{
			WorkspaceID: workspace, ID: uuid.NewString(), RunID: &a.ID, Key: one(r, someKeys...), Score: maybe(r, 0, 1, 2.5),
			Value: maybe(r, someTexts...), Comment: maybe(r, someTexts...), Source: one(r, "api", "app"), Body: "{}", CreatedAt: at, ModifiedAt: at,
		})
	}
	a.inputs, a.outputs = r.object(), r.object()
	return a
}

func (r randomness) object() map[string]any {
	if r.IntN(3) == 0 {
		return nil
	}
	o := map[string]any{}
	for range r.IntN(3) {
		o[one(r, someKeys...)] = one[any](r, one(r, someTexts...), 2, 2.5, true, nil, map[string]any{one(r, someKeys...): one(r, someTexts...)})
	}
	return o
}

// save stores the run.
func (a aRun) save(tx *store.Tx) error {
	body := map[string]any{}
	if a.inputs != nil {
		body["inputs"] = a.inputs
	}
	if a.outputs != nil {
		body["outputs"] = a.outputs
	}
	post, err := json.Marshal(body)
	labels := slices.Clone(a.metadata)
	for _, tag := range a.tags {
		labels = append(labels, store.Label{Value: tag})
	}
	err = errors.Join(err, tx.SaveRun(a.Run, store.RunBody{Post: post, Patch: []byte("{}")}, labels))
	for _, f := range a.feedback {
		err = errors.Join(err, tx.SaveFeedback(f))
	}
	return err
}

func textValue(text *string) filter.Value { return filter.Value{Text: text, Null: text == nil} }

func timeValue(at *time.Time) filter.Value { return filter.Value{Time: at, Null: at == nil} }

func numberValue[N int64 | float64 | int](n N) filter.Value {
	return filter.Value{Number: new(strconv.FormatFloat(float64(n), 'f', -1, 64))}
}

func costValue(amount *string) filter.Value { return filter.Value{Number: amount, Null: amount == nil} }

// String shows what a filter sees of the run.
func (a aRun) String() string {
	row, _ := json.Marshal(a.Run)
	feedback, _ := json.Marshal(a.feedback)
	return fmt.Sprintf("%s with tags %q, metadata %v, feedback %s, inputs %v, outputs %v", row, a.tags, a.metadata, feedback, a.inputs, a.outputs)
}

// Value implements filter.Subject.
func (a aRun) Value(field filter.Field) filter.Value {
	switch field { //nolint:exhaustive // All others are below.
	case filter.Latency:
		if a.EndTime != nil {
			return numberValue(a.EndTime.Sub(a.StartTime).Seconds())
		}
	case filter.ExecutionOrder:
		return numberValue(map[bool]int{true: 1, false: 2}[a.ParentRunID == nil])
	case filter.IsRoot:
		return filter.Value{Bool: new(a.ParentRunID == nil)}
	case filter.UserID:
		for _, l := range a.metadata {
			if l.Key == "ls_user_id" {
				return textValue(&l.Value)
			}
		}
	case "prompt_token_details.cache_read":
		if strings.Contains(a.Figures, "prompt_token_details") {
			return numberValue(2)
		}
	case filter.Inputs, filter.Outputs:
		if o := map[filter.Field]map[string]any{filter.Inputs: a.inputs, filter.Outputs: a.outputs}[field]; o != nil {
			text, _ := json.Marshal(o)
			return textValue(new(string(text)))
		}
	}
	if v, is := map[filter.Field]filter.Value{
		filter.ID: textValue(&a.ID), filter.Name: textValue(&a.Name), filter.RunType: textValue(&a.RunType), filter.Status: textValue(&a.Status),
		filter.StartTime: timeValue(&a.StartTime), filter.EndTime: timeValue(a.EndTime), filter.FirstTokenTime: timeValue(a.FirstTokenTime),
		filter.Error: textValue(a.Error), filter.TraceID: textValue(&a.TraceID), filter.ParentRunID: textValue(a.ParentRunID),
		filter.ThreadID: textValue(a.ThreadID), filter.PromptTokens: numberValue(a.PromptTokens),
		filter.OutputTokens: numberValue(a.CompletionTokens), filter.TotalTokens: numberValue(a.TotalTokens),
		filter.PromptCost: costValue(a.PromptCost), filter.OutputCost: costValue(a.CompletionCost), filter.TotalCost: costValue(a.TotalCost),
	}[field]; is {
		return v
	}
	return filter.Value{Null: true}
}

// Entries implements filter.Subject.
func (a aRun) Entries(key filter.Field) (all []filter.Entry) {
	switch key { //nolint:exhaustive // All others are no keys.
	case filter.Tags:
		for _, tag := range a.tags {
			all = append(all, filter.Entry{filter.Tags: textValue(&tag)})
		}
	case filter.MetadataKey:
		for _, l := range a.metadata {
			all = append(all, filter.Entry{filter.MetadataKey: textValue(&l.Key), filter.MetadataValue: textValue(&l.Value)})
		}
	case filter.FeedbackKey:
		for _, f := range a.feedback {
			score := filter.Value{Null: true}
			if f.Score != nil {
				score = numberValue(*f.Score)
			}
			all = append(all, filter.Entry{
				filter.FeedbackKey: textValue(&f.Key), filter.FeedbackScore: score, filter.FeedbackValue: textValue(f.Value),
				filter.FeedbackComment: textValue(f.Comment), filter.FeedbackSource: textValue(&f.Source),
			})
		}
	case filter.InputKey:
		return entriesOf(a.inputs, "", filter.InputKey, filter.InputValue)
	case filter.OutputKey:
		return entriesOf(a.outputs, "", filter.OutputKey, filter.OutputValue)
	}
	return all
}

func entriesOf(o map[string]any, prefix string, key, value filter.Field) (all []filter.Entry) {
	for k, v := range o {
		entry := filter.Entry{key: textValue(new(prefix + k)), value: textValue(nil)}
		switch v := v.(type) {
		case nil:
		case string:
			entry[value] = textValue(&v)
		default:
			text, _ := json.Marshal(v)
			entry[value] = textValue(new(string(text)))
		}
		inner, _ := v.(map[string]any)
		all = append(append(all, entry), entriesOf(inner, prefix+k+".", key, value)...)
	}
	return all
}

// Contains implements filter.Subject.
func (a aRun) Contains(text string) bool { return saysIn(a.inputs, text) || saysIn(a.outputs, text) }

func saysIn(value any, text string) bool {
	if o, is := value.(map[string]any); is {
		for _, v := range o {
			if saysIn(v, text) {
				return true
			}
		}
		return false
	}
	return strings.Contains(strings.ToLower(fmt.Sprint(value)), strings.ToLower(text))
}

// allFields are the fields that filters know, as the error for another one lists them.
func allFields(t *testing.T) []string {
	t.Helper()
	_, err := filter.Parse("eq(nothing, 1)")
	_, list, found := strings.Cut(fmt.Sprint(err), "use one of ")
	if !found {
		t.Fatalf("the error lists no fields: %v", err)
	}
	return strings.Split(strings.ReplaceAll(list, "…", "cache_read"), ", ")
}

// filter draws a filter, which may be invalid.
func (r randomness) filter(fields []string, depth int) string {
	if depth > 0 && r.IntN(2) == 0 {
		switch r.IntN(3) {
		case 0:
			return "not(" + r.filter(fields, depth-1) + ")"
		default:
			terms := make([]string, 1+r.IntN(3))
			for i := range terms {
				terms[i] = r.filter(fields, depth-1)
			}
			return one(r, "and", "or") + "(" + strings.Join(terms, ", ") + ")"
		}
	}
	field := one(r, fields...)
	if r.IntN(2) == 0 { // Those that belong together.
		field = one(r, "metadata_key", "metadata_value", "feedback_key", "feedback_score", "feedback_value", "input_key", "input_value")
	}
	switch r.IntN(10) {
	case 0:
		return "exists(" + field + ")"
	case 1:
		values := make([]string, r.IntN(3))
		for i := range values {
			values[i] = r.literal()
		}
		return "in(" + field + ", [" + strings.Join(values, ", ") + "])"
	case 2:
		return fmt.Sprintf("search(%q)", one(r, "chat", "CHAT", "2", "ä", "nowhere", "rue", `say \"X`, "2.5", ""))
	case 3:
		return fmt.Sprintf("%s(%s, %q)", one(r, "like", "notlike", "search"), field, one(r, "%", "c%t", "%A%", "a_b", `a\b`, "a%b", "%T", "hat", "a%%b", "Ä"))
	case 4:
		return fmt.Sprintf("has(tags, %q)", one(r, someTexts...))
	case 5:
		return one(r, `has(metadata, '{"k": "2"}')`, `has(metadata, '{"k": 2}')`, `has(metadata, '{"K": true}')`)
	default:
		return one(r, "eq", "neq", "gt", "gte", "lt", "lte") + "(" + field + ", " + r.literal() + ")"
	}
}

func (r randomness) literal() string {
	return one(r,
		"null", "true", "false", "1", "2", "2.5", "1e0", "-1", strconv.Quote(one(r, someIDs...)), strconv.Quote(strings.ToUpper(one(r, someIDs...))),
		strconv.Quote(one(r, someTexts...)), strconv.Quote(one(r, someTexts...)), strconv.Quote(one(r, someKeys...)), `"k.K"`, `"LLM"`, `"Error"`, `"api"`,
		strconv.Quote(at.Add(time.Second).Format(time.RFC3339Nano)), `"2s"`,
	)
}

// TestConditionsMeanTheSame_unraced checks the SQL of random filters against filter.Holds, on random runs, with and without the index
// for searches.
func TestConditionsMeanTheSame_unraced(t *testing.T) {
	t.Parallel()
	for name, index := range map[string]func(*testing.T, *store.Store) error{
		"scanned":  func(*testing.T, *store.Store) error { return nil },
		"listed":   func(t *testing.T, s *store.Store) error { return store.IndexRuns(t.Context(), s, true) },
		"narrowed": func(t *testing.T, s *store.Store) error { return store.IndexRuns(t.Context(), s, false) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conditionsMeanTheSame(t, func(s *store.Store) error { return index(t, s) })
		})
	}
}

func conditionsMeanTheSame(t *testing.T, index func(*store.Store) error) {
	t.Helper()
	seed := rand.Uint64()
	r := randomness{rand.New(rand.NewPCG(seed, 0))}
	s := withProjects(t)
	runs := make([]aRun, 60)
	do(t, s, func(tx *store.Tx) (err error) {
		for i := range runs {
			runs[i] = r.run()
			err = errors.Join(err, runs[i].save(tx))
		}
		return err
	})
	devservertest.Must(t, index(s))
	do(t, s, func(tx *store.Tx) error { return r.change(tx, runs) })
	fields, some, tried := allFields(t), 0, 0
	for range 3_000 {
		text := r.filter(fields, 3)
		where, err := filter.Parse(text)
		if err != nil {
			continue
		}
		tried++
		asked := store.RunFilter{WorkspaceID: workspace, Where: where, From: maybe(r, at, at.Add(time.Second)), To: maybe(r, at.Add(time.Second), at.Add(time.Hour))}
		var got map[string]bool
		do(t, s, func(tx *store.Tx) error {
			found, err := tx.Runs(asked, true, nil, len(runs))
			got = make(map[string]bool, len(found))
			for _, f := range found {
				got[f.ID] = true
			}
			return err
		})
		for _, a := range runs {
			within := (asked.From == nil || !a.StartTime.Before(*asked.From)) && (asked.To == nil || a.StartTime.Before(*asked.To))
			if holds := within && filter.Holds(where, a); holds != got[a.ID] {
				t.Fatalf("seed %d: the store says %t, filter.Holds %t, of %s for %s", seed, got[a.ID], holds, text, a)
			}
		}
		if len(got) > 0 && len(got) < len(runs) {
			some++
		}
	}
	if some < 500 {
		t.Errorf("seed %d: only %d of %d filters hold for some runs and not for others", seed, some, tried)
	}
	t.Logf("%d filters, of which %d hold for some runs and not for others", tried, some)
}

// change changes a third of the runs and adds one more.
func (r randomness) change(tx *store.Tx, runs []aRun) error {
	for i := range runs {
		if i%3 > 0 {
			continue
		}
		before, err := tx.Run(workspace, runs[i].ID)
		if err != nil {
			return err
		}
		feedback := runs[i].feedback
		runs[i] = r.run()
		runs[i].Seq, runs[i].ID, runs[i].feedback = before.Seq, before.ID, feedback
		if runs[i].ParentRunID == nil {
			runs[i].TraceID = before.ID
		}
		if err := runs[i].save(tx); err != nil {
			return err
		}
	}
	return nil
}
