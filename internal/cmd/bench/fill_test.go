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

// fillRuns logs model calls of the last hour, each the root of a trace.
func fillRuns(ctx context.Context, p *plane, have, amount int) (object, error) {
	return object{"project_name": "bench", "limit": amount}, logRuns(ctx, &p.addresses, "bench", time.Now().Add(-time.Hour), time.Millisecond, have, amount)
}

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

// fillDeployments creates deployments from an image.
func fillDeployments(ctx context.Context, p *plane, have, amount int) (object, error) {
	for i := have; i < amount; i++ {
		if _, err := createDeployment(ctx, p, fmt.Sprintf("bench-%d", i)); err != nil {
			return nil, err
		}
	}
	return object{}, nil
}

// createDeployment returns the ID of a new deployment.
func createDeployment(ctx context.Context, p *plane, name string) (id string, err error) {
	var created struct {
		ID string `json:"id"`
	}
	err = p.call(ctx, http.MethodPost, "/v2/deployments", object{
		"name": name, "source": "external_container", "source_revision_config": image(0),
		"source_config": object{
			"listener_id": p.seeded.ListenerID, "listener_config": object{"k8s_namespace": p.seeded.K8sNamespaces[0]},
			"resource_spec": object{"min_scale": 1, "max_scale": 4, "cpu": 1, "memory_mb": 1024},
		},
		"secrets": []object{{"name": "API_KEY", "value": "secret"}},
	}, &created)
	return created.ID, err
}

func image(tag int) object {
	return object{"image_uri": fmt.Sprintf("registry.example.com/agents/chat:1.0.%d", tag)}
}

// fillRevisions changes the image of a deployment, whose first revision was made by its creation.
func fillRevisions(ctx context.Context, p *plane, have, amount int) (object, error) {
	if have == 0 {
		if _, err := createDeployment(ctx, p, "bench"); err != nil {
			return nil, err
		}
		have = 1
	}
	var list struct {
		Resources []struct {
			ID string `json:"id"`
		} `json:"resources"`
	}
	if err := p.call(ctx, http.MethodGet, "/v2/deployments", nil, &list); err != nil {
		return nil, err
	}
	id := list.Resources[0].ID
	for i := have; i < amount; i++ {
		if err := p.call(ctx, http.MethodPatch, "/v2/deployments/"+id, object{"source_revision_config": image(i)}, nil); err != nil {
			return nil, err
		}
	}
	return object{"deployment_id": id}, nil
}

// fillRepositories registers an integration with the given number of repositories.
func fillRepositories(ctx context.Context, p *plane, _, amount int) (object, error) {
	repositories := make([]object, amount)
	for i := range repositories {
		repositories[i] = object{"name": fmt.Sprintf("agent-%d", i)}
	}
	var integration struct {
		ID string `json:"id"`
	}
	err := p.call(ctx, http.MethodPost, "/dev/integrations", object{
		"name": fmt.Sprintf("bench-%d", amount), "repositories": repositories,
	}, &integration)
	return object{"integration_id": integration.ID}, err
}
