package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// orphans logs the children of a run, which have no place in their trace, and then the run.
func (a *attack) orphans(ctx context.Context) error {
	parent, at := uuid.NewString(), time.Now()
	posts := make([]object, a.trace)
	for i := range posts {
		posts[i] = aRun(uuid.NewString(), at, "orphans", "Say hello.")
		delete(posts[i], "dotted_order")
		delete(posts[i], "trace_id")
		posts[i]["parent_run_id"] = parent
	}
	for some := range slices.Chunk(posts, batch) {
		if err := a.call(ctx, http.MethodPost, "/runs/batch", object{"post": some}, nil); err != nil {
			return err
		}
	}
	return a.call(ctx, http.MethodPost, "/runs", aRun(parent, at, "orphans", "Say hello to everybody."), nil)
}

// spansAtOnce is how many spans an exporter sends in a request.
const spansAtOnce = 2_000

// adopted exports a trace without its root, and then a root, below which all of it moves. It also exports many spans of which each is the root
// of a trace until their parent arrives.
func (a *attack) adopted(ctx context.Context) error {
	traceID := strings.ReplaceAll(uuid.NewString(), "-", "")
	span := func(n, parent int) object {
		at := time.Now().UnixNano()
		return object{
			"traceId": traceID, "spanId": fmt.Sprintf("%016x", n), "parentSpanId": fmt.Sprintf("%016x", parent), "name": "step",
			"startTimeUnixNano": fmt.Sprint(at), "endTimeUnixNano": fmt.Sprint(at + 1),
		}
	}
	const root, top, other = 1, 2, 3
	below, beside := []object{span(top, root)}, []object{}
	for n := range a.trace {
		below = append(below, span(10+2*n, top))
		beside = append(beside, span(11+2*n, other))
	}
	for some := range slices.Chunk(slices.Concat(below, beside, []object{span(other, root)}), spansAtOnce) {
		if err := a.export(ctx, some...); err != nil {
			return err
		}
	}
	return a.export(ctx, span(root, 0))
}

func (a *attack) export(ctx context.Context, spans ...object) error {
	return a.call(ctx, http.MethodPost, "/otel/v1/traces", object{"resourceSpans": []object{{"scopeSpans": []object{{"spans": spans}}}}}, nil)
}

// subtrees compares the tokens of each run of a trace with all below it, and reads the trace in other ways.
func (a *attack) subtrees(ctx context.Context) error {
	if err := logTrace(ctx, a.client, a.trace); err != nil {
		return err
	}
	var page struct {
		Runs []struct {
			Trace string `json:"trace_id"`
		}
	}
	if err := a.call(ctx, http.MethodPost, "/runs/query", object{"limit": 1, "filter": `eq(name, "agent")`}, &page); err != nil || len(page.Runs) == 0 {
		return errors.Join(err, fmt.Errorf("%d runs are the root of the trace, want one", len(page.Runs)))
	}
	trace := page.Runs[0].Trace
	filters := []string{`gt(total_tokens, 5)`, `lt(total_tokens, 5)`, `gt(total_cost, 5)`}
	return a.together(2*len(filters), func(i int) error {
		if i < len(filters) {
			return a.call(ctx, http.MethodGet, "/ui/traces/"+trace, nil, nil)
		}
		return a.call(ctx, http.MethodPost, "/runs/query", object{"limit": 100, "trace": trace, "filter": filters[i%len(filters)]}, nil)
	})
}
