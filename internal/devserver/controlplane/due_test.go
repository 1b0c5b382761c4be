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

// TestRolloutsAfterADialect checks that a rollout whose next change depends on the dialect goes on with the dialect of the server that
// continues it.
func TestRolloutsAfterADialect(t *testing.T) {
	t.Parallel()
	cfg := devservertest.Stored(t, devserver.Config{
		Data: t.TempDir() + "/x.db", Clock: devserver.NewManualClock(devservertest.Start), Rollout: time.Minute, Dialect: api.LangSmith,
	})
	p := devservertest.New(t, cfg)
	devservertest.Must(t, p.Arm(devserver.Fault{Rollout: &devserver.RolloutFault{State: api.RevisionCreating, Stall: true}}))
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
