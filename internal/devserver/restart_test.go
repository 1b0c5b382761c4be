package devserver_test

import (
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestReopen checks that a second server on the same file continues where the first one stopped, with the original rollout durations.
func TestReopen(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "plane #1?.db")
	clock := devserver.NewManualClock(devservertest.Start)
	p := devservertest.New(t, devservertest.Stored(t, devserver.Config{Data: data, Clock: clock, Rollout: 20 * time.Second}))
	fault := devserver.Fault{Rollout: &devserver.RolloutFault{State: api.RevisionDeploying, Message: "crash"}}
	devservertest.Must(t, p.Arm(fault))
	d := p.Create(devservertest.ImageRequest("chat", object{"source_config": object{"resource_spec": object{"cpu": 2, "labels": object{"a": "b"}}}},
		object{"secrets": []any{object{"name": "A", "value": "1"}}}))
	deleted := p.Create(devservertest.ImageRequest("deleted"))
	p.Do(http.MethodDelete, "/v2/deployments/"+deleted.ID, nil).Want(http.StatusNoContent)
	p.Stop()

	clock.Advance(4 * time.Second)
	p = devservertest.New(t, devservertest.Stored(t, devserver.Config{Data: data, Clock: clock, Rollout: time.Hour}))
	d.Status, d.UpdatedAt = api.DeploymentReady, "2026-05-02T10:00:02.000000Z"
	if diff := cmp.Diff(d, p.Deployment(d.ID)); diff != "" {
		t.Errorf("deployment (-before +after):\n%s", diff)
	}
	if status := p.Deployment(deleted.ID).Status; status != api.DeploymentAwaitingDelete {
		t.Errorf("status of the deleted deployment = %s, want AWAITING_DELETE", status)
	}
	devservertest.Same(t, "revisions", []api.RevisionStatus{api.RevisionAwaitingDeploy}, p.Revisions(d.ID))
	p.Stop()

	clock.Advance(time.Minute)
	p = devservertest.New(t, devservertest.Stored(t, devserver.Config{Data: data, Clock: clock}))
	p.Do(http.MethodGet, "/v2/deployments/"+deleted.ID, nil).Want(http.StatusNotFound)
	failed := devservertest.Get[api.Revision](p, "/v2/deployments/"+d.ID+"/revisions/"+*d.LatestRevisionID)
	if failed.Status != api.RevisionDeployFailed || failed.StatusMessage == nil || *failed.StatusMessage != "crash" {
		t.Errorf("revision = %+v, want it to fail with the fault's message", failed)
	}
}
