package bench

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"
)

// batch is the number of runs logged in one request.
const batch = 500

// logRuns logs model calls from one number to another, each the root of a trace. They start a step after each other.
func logRuns(ctx context.Context, to *addresses, project string, start time.Time, step time.Duration, from, until int) error {
	for from < until {
		var posts []object
		for ; from < until && len(posts) < batch; from++ {
			at := start.Add(time.Duration(from) * step)
			posts = append(posts, aRun(uuid.NewString(), at, project, fmt.Sprintf("Say hello to customer %d.", from)))
		}
		if err := to.call(ctx, http.MethodPost, "/runs/batch", object{"post": posts}, nil); err != nil {
			return err
		}
	}
	return nil
}

// aRun is a model call, the root of a trace.
func aRun(id string, at time.Time, project, question string) object {
	at = at.UTC()
	return object{
		"id": id, "trace_id": id, "dotted_order": at.Format("20060102T150405") + fmt.Sprintf("%06dZ", at.Nanosecond()/1000) + id,
		"session_name": project, "name": "model", "run_type": "llm", "tags": []string{"smoke"},
		"start_time": at.Format(time.RFC3339Nano), "end_time": at.Add(time.Second).Format(time.RFC3339Nano),
		"inputs":  object{"messages": []object{{"role": "user", "content": question}}},
		"outputs": object{"usage_metadata": object{"input_tokens": 12, "output_tokens": 3, "total_tokens": 15}},
		"extra":   object{"metadata": object{"ls_model_name": "example-large", "ls_provider": "example"}},
	}
}

// logMonth logs traces of one run that started in the last 30 days, at the same distance from each other. While one client prepares a request,
// the server stores that of the other.
func logMonth(ctx context.Context, to *addresses, amount int) error {
	const month, clients = 30 * 24 * time.Hour, 2
	step := month / time.Duration(max(1, amount))
	begin := time.Now().Add(-month + time.Hour)
	var all errgroup.Group
	for n := range clients {
		all.Go(func() error { return logRuns(ctx, to, "bench", begin, step, amount*n/clients, amount*(n+1)/clients) })
	}
	return all.Wait()
}

// logTrace logs a trace: its root has a hundredth of the runs as children, which have called models.
func logTrace(ctx context.Context, to *addresses, amount int) error {
	at := time.Now().Add(-time.Hour)
	root := aRun(uuid.NewString(), at, "bench", "Say hello to everybody.")
	root["name"], root["run_type"] = "agent", "chain"
	posts, parent := []object{root}, root
	for n := 1; n < amount; n++ {
		child := aRun(uuid.NewString(), at.Add(time.Duration(n)*time.Millisecond), "bench", fmt.Sprintf("Say hello to person %d.", n))
		above := parent
		if n%100 == 1 {
			child["name"], child["run_type"] = "step", "chain"
			above, parent = root, child
		}
		child["trace_id"], child["parent_run_id"] = root["id"], above["id"]
		child["dotted_order"] = fmt.Sprint(above["dotted_order"], ".", child["dotted_order"])
		posts = append(posts, child)
	}
	for some := range slices.Chunk(posts, batch) {
		if err := to.call(ctx, http.MethodPost, "/runs/batch", object{"post": some}, nil); err != nil {
			return err
		}
	}
	return nil
}

func image(tag int) object {
	return object{"image_uri": fmt.Sprintf("registry.example.com/agents/chat:1.0.%d", tag)}
}
