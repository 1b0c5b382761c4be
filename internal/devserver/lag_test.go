package devserver_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// lagging is a server of a dialect in which nothing changes by itself for minutes.
func lagging(t *testing.T, dialect *api.Dialect, cfg devserver.Config) *plane {
	t.Helper()
	cfg.Dialect, cfg.Lag = dialect, 2*time.Second
	if cfg.Rollout == 0 {
		cfg.Rollout = time.Hour
	}
	return devservertest.New(t, cfg)
}

// inBothDialects runs a test in each dialect.
func inBothDialects(t *testing.T, test func(t *testing.T, dialect *api.Dialect)) {
	t.Helper()
	for _, dialect := range []*api.Dialect{api.Neutral, api.LangSmith} {
		t.Run(dialect.Name, func(t *testing.T) {
			t.Parallel()
			test(t, dialect)
		})
	}
}

// image requests a deployment of an image, in the words of a dialect.
func image(dialect *api.Dialect, name string) object {
	request := devservertest.ImageRequest(name, object{"source_config": object{"resource_spec": object{}}})
	if dialect == api.LangSmith {
		request["source"] = "external_docker"
	}
	return request
}

func exchange(p *plane, method, path string, body any, status int) object {
	p.T.Helper()
	return devservertest.Into[object](p.Do(method, path, body).Want(status))
}

func resources(p *plane, path string) []object {
	p.T.Helper()
	all := []object{}
	for _, resource := range exchange(p, http.MethodGet, path, nil, http.StatusOK)["resources"].([]any) {
		all = append(all, resource.(object))
	}
	return all
}

// wantShown checks a read and a list; nothing is shown if want is nil.
func wantShown(p *plane, collection, id string, want object) {
	p.T.Helper()
	listed := []object{}
	for _, resource := range resources(p, collection+"?limit=100") {
		if resource["id"] == id {
			listed = append(listed, resource)
		}
	}
	if want == nil {
		p.Do(http.MethodGet, collection+"/"+id, nil).Want(http.StatusNotFound)
		if len(listed) > 0 {
			p.T.Errorf("%s lists %v, want nothing", collection, listed)
		}
		return
	}
	devservertest.Same(p.T, fmt.Sprintf("%s/%s", collection, id), want, exchange(p, http.MethodGet, collection+"/"+id, nil, http.StatusOK))
	devservertest.Same(p.T, "list of "+collection, []object{want}, listed)
}

func TestLag(t *testing.T) {
	t.Parallel()
	inBothDialects(t, func(t *testing.T, dialect *api.Dialect) {
		p := lagging(t, dialect, devserver.Config{})
		const list = "/v2/deployments"
		other := exchange(p, http.MethodPost, list, image(dialect, "other"), http.StatusCreated)
		p.Clock.Advance(time.Minute)

		created := exchange(p, http.MethodPost, list, image(dialect, "chat"), http.StatusCreated) // At 0.
		id := created["id"].(string)
		wantShown(p, list, id, nil)
		p.Do(http.MethodPost, list, image(dialect, "chat")).Want(http.StatusConflict)
		p.Do(http.MethodGet, list+"/"+id+"/revisions", nil).Want(http.StatusNotFound)
		p.Clock.Advance(2*time.Second - time.Microsecond)
		wantShown(p, list, id, nil)
		if found := resources(p, list+"?name=chat"); len(found) > 0 {
			t.Errorf("found by name: %v, want nothing", found)
		}
		p.Clock.Advance(time.Microsecond) // At 2.
		wantShown(p, list, id, created)

		var changes []object
		for i, value := range []string{"a", "b", "c"} { // At 2, 2 and 2.5.
			if i == 2 {
				p.Clock.Advance(500 * time.Millisecond)
			}
			changes = append(changes, exchange(p, http.MethodPatch, list+"/"+id,
				object{"secrets": []any{object{"name": "A", "value": value}}}, http.StatusOK))
			wantShown(p, list, id, created)
		}
		newer := exchange(p, http.MethodPatch, list+"/"+other["id"].(string), object{"secrets": []any{object{"name": "B", "value": "b"}}}, http.StatusOK)
		p.Clock.Advance(1500 * time.Millisecond) // At 4.
		wantShown(p, list, id, changes[1])
		wantShown(p, list, other["id"].(string), other)
		if revisions := resources(p, list+"/"+id+"/revisions"); len(revisions) != 3 {
			t.Errorf("revisions = %v, want three", revisions)
		}
		newest := list + "/" + id + "/revisions/" + changes[2]["latest_revision_id"].(string)
		p.Do(http.MethodGet, newest, nil).Want(http.StatusNotFound)
		p.Do(http.MethodGet, newest+"/logs?type=deploy", nil).Want(http.StatusNotFound)
		p.Clock.Advance(500 * time.Millisecond) // At 4.5.
		wantShown(p, list, id, changes[2])
		wantShown(p, list, other["id"].(string), newer)
		p.Do(http.MethodGet, newest, nil).Want(http.StatusOK)
	})
}

// TestLagOfDeletion checks that a deployment is shown until its deletion and the lag have passed, while its name is free earlier.
func TestLagOfDeletion(t *testing.T) {
	t.Parallel()
	inBothDialects(t, func(t *testing.T, dialect *api.Dialect) {
		p := lagging(t, dialect, devserver.Config{Rollout: 20 * time.Second})
		const list = "/v2/deployments"
		id := exchange(p, http.MethodPost, list, image(dialect, "chat"), http.StatusCreated)["id"].(string)
		p.Clock.Advance(time.Minute)
		before := exchange(p, http.MethodGet, list+"/"+id, nil, http.StatusOK)
		if before["status"] != "READY" {
			t.Fatalf("status = %v, want READY", before["status"])
		}
		p.Do(http.MethodDelete, list+"/"+id+"?delete_tracing_project=true", nil).Want(http.StatusNoContent)
		p.Do(http.MethodDelete, list+"/"+id, nil).Want(http.StatusNotFound)
		p.Clock.Advance(2*time.Second - time.Microsecond)
		wantShown(p, list, id, before)
		p.Clock.Advance(time.Microsecond)
		if shown := exchange(p, http.MethodGet, list+"/"+id, nil, http.StatusOK); shown["status"] != "AWAITING_DELETE" {
			t.Errorf("status = %v, want AWAITING_DELETE", shown["status"])
		}
		deletion := 5 * time.Second
		if dialect == api.LangSmith {
			deletion = 10 * time.Second
		}
		p.Clock.Advance(deletion - 2*time.Second)
		again := exchange(p, http.MethodPost, list, image(dialect, "chat"), http.StatusCreated)
		p.Do(http.MethodGet, list+"/"+id, nil).Want(http.StatusOK)
		p.Clock.Advance(2*time.Second - time.Microsecond)
		p.Do(http.MethodGet, list+"/"+id, nil).Want(http.StatusOK)
		p.Clock.Advance(time.Microsecond)
		wantShown(p, list, id, nil)
		wantShown(p, list, again["id"].(string), again)
	})
}

// TestLagNone checks that a request with the header sees the current state, and that a change with the header is shown at once.
func TestLagNone(t *testing.T) {
	t.Parallel()
	p := lagging(t, api.Neutral, devserver.Config{})
	now := p.As("X-Tenant-Id", devservertest.WorkspaceA, "X-Dev-Lag", "none")
	first := exchange(p, http.MethodPost, "/v2/deployments", image(api.Neutral, "chat"), http.StatusCreated)
	wantShown(now, "/v2/deployments", first["id"].(string), first)
	wantShown(p, "/v2/deployments", first["id"].(string), nil)
	second := exchange(now, http.MethodPost, "/v2/deployments", image(api.Neutral, "other"), http.StatusCreated)
	wantShown(p, "/v2/deployments", second["id"].(string), second)
	wantShown(p, "/v2/deployments", first["id"].(string), first)
}

// TestLagConcurrently checks that reads and writes at the same time lose no change.
func TestLagConcurrently(t *testing.T) {
	t.Parallel()
	p := lagging(t, api.Neutral, devserver.Config{})
	id := p.Create(image(api.Neutral, "chat")).ID
	p.Clock.Advance(2 * time.Second)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 5 {
				p.Patch(id, object{"secrets": []any{}})
				p.Clock.Advance(100 * time.Millisecond)
				p.Deployment(id)
			}
		})
	}
	wg.Wait()
	p.Clock.Advance(2 * time.Second)
	if revisions := resources(p, "/v2/deployments/"+id+"/revisions?limit=100"); len(revisions) != 41 {
		t.Errorf("%d revisions, want 41", len(revisions))
	}
}

func TestClockSkew(t *testing.T) {
	t.Parallel()
	for _, skew := range []time.Duration{90 * time.Second, -90 * time.Second} {
		t.Run(skew.String(), func(t *testing.T) {
			t.Parallel()
			p := devservertest.New(t, devserver.Config{ClockSkew: skew, Rollout: 20 * time.Second, Lag: 2 * time.Second})
			there := devservertest.Start.Add(skew)
			r := p.Do(http.MethodPost, "/v2/deployments", image(api.Neutral, "chat")).Want(http.StatusCreated)
			d := devservertest.Into[api.Deployment](r)
			want := there.Format("2006-01-02T15:04:05.000000Z")
			if got := r.Header.Get("Date"); got != there.Format(http.TimeFormat) || d.CreatedAt != want || d.UpdatedAt != want {
				t.Errorf("Date %s, created_at %s, updated_at %s, want %s", got, d.CreatedAt, d.UpdatedAt, there)
			}
			p.Clock.Advance(22*time.Second - time.Microsecond)
			if got := p.Deployment(d.ID).ActiveRevisionID; got != nil {
				t.Errorf("active revision = %s before the rollout has ended", *got)
			}
			p.Clock.Advance(time.Microsecond)
			if p.Deployment(d.ID).ActiveRevisionID == nil {
				t.Error("no active revision after the rollout")
			}
		})
	}
}
