package controlplane_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestReadsAreNotSlowedByRollouts checks that a read doesn't look at the rollouts in progress, which may be those of other workspaces,
// unless something is due. It counts allocations, so it isn't parallel.
func TestReadsAreNotSlowedByRollouts(t *testing.T) {
	p := devservertest.New(t, devserver.Config{Rollout: time.Hour})
	work := func() float64 {
		return testing.AllocsPerRun(5, func() { p.Do(http.MethodGet, "/v2/deployments?name=none", nil).Want(http.StatusOK) })
	}
	other := p.As("X-Tenant-Id", devservertest.WorkspaceB)
	add := func(n int) {
		for range n {
			other.Create(devservertest.ImageRequest(fmt.Sprintf("d%d", len(p.Requests()))))
		}
	}
	add(3)
	before := work()
	add(100)
	if after := work(); after > 2*before {
		t.Errorf("a read makes %.0f allocations during 103 rollouts and %.0f during 3, want about the same", after, before)
	}
}

// TestRolloutsAfterADialect checks that a rollout whose next change depends on the dialect goes on with the dialect of the server that
// continues it.
func TestRolloutsAfterADialect(t *testing.T) {
	t.Parallel()
	cfg := devservertest.Stored(t, devserver.Config{
		Data: t.TempDir() + "/x.db", Clock: devserver.NewManualClock(devservertest.Start), Rollout: time.Minute, Dialect: api.LangSmith,
	})
	p := devservertest.New(t, cfg)
	if err := p.Arm(devserver.Fault{Rollout: &devserver.RolloutFault{State: api.RevisionCreating, Stall: true}}); err != nil {
		t.Fatal(err)
	}
	body := devservertest.ImageRequest("chat", object{"source_config": object{"resource_spec": object{}}})
	body["source"] = "external_docker"
	d := devservertest.Into[object](p.Do(http.MethodPost, "/v2/deployments", body).Want(http.StatusCreated))
	p.Stop()
	cfg.Clock, cfg.Dialect = devserver.NewManualClock(devservertest.Start.Add(time.Minute)), api.Neutral // Here, nothing is CREATING.
	p = devservertest.New(t, cfg)
	if got := p.Revisions(fmt.Sprint(d["id"])); len(got) != 1 || got[0] != api.RevisionDeployed {
		t.Errorf("revisions = %v, want one that is deployed", got)
	}
}
