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

func TestRevisionPassesThroughItsStates(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{Rollout: 20 * time.Second}).WithSeed(devservertest.WorkspaceA)
	d := p.Create(p.RepoRequest("chat"))
	path := "/v2/deployments/" + d.ID + "/revisions/" + *d.LatestRevisionID
	type state struct {
		Revision   api.RevisionStatus
		Deployment api.DeploymentStatus
	}
	var got []state
	for range 21 {
		now := state{devservertest.Get[api.Revision](p, path).Status, p.Deployment(d.ID).Status}
		if len(got) == 0 || got[len(got)-1] != now {
			got = append(got, now)
		}
		p.Clock.Advance(time.Second)
	}
	want := []state{
		{api.RevisionQueued, api.DeploymentAwaitingDatabase},
		{api.RevisionAwaitingBuild, api.DeploymentReady},
		{api.RevisionBuilding, api.DeploymentReady},
		{api.RevisionAwaitingDeploy, api.DeploymentReady},
		{api.RevisionDeploying, api.DeploymentReady},
		{api.RevisionDeployed, api.DeploymentReady},
	}
	devservertest.Same(t, "states", want, got)
	revision := devservertest.Get[api.Revision](p, path)
	devservertest.Same(t, "revision", api.Revision{
		ID: *d.LatestRevisionID, Source: api.SourceGitHost, Status: api.RevisionDeployed,
		CreatedAt: "2026-05-02T10:00:00.000000Z", UpdatedAt: "2026-05-02T10:00:20.000000Z",
		SourceRevisionConfig: d.SourceRevisionConfig,
	}, revision)
}

func TestZeroRolloutIsDeployedAtTheNextLook(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	d := p.Create(devservertest.ImageRequest("chat"))
	if d.Status != api.DeploymentAwaitingDatabase || d.ActiveRevisionID != nil {
		t.Errorf("response to the create: status %s, active revision %v; want AWAITING_DATABASE and none", d.Status, d.ActiveRevisionID)
	}
	d = p.Deployment(d.ID)
	if d.Status != api.DeploymentReady || d.ActiveRevisionID == nil || *d.ActiveRevisionID != *d.LatestRevisionID {
		t.Errorf("next read: status %s, active revision %v; want READY and the latest", d.Status, d.ActiveRevisionID)
	}
	p.Do(http.MethodDelete, "/v2/deployments/"+d.ID, nil).Want(http.StatusNoContent)
	p.Do(http.MethodGet, "/v2/deployments/"+d.ID, nil).Want(http.StatusNotFound)
}

func TestNewerRevisionSkipsUnfinishedOnes(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{Rollout: 20 * time.Second})
	d := p.Create(devservertest.ImageRequest("chat"))
	deploy := func(image string) api.Deployment {
		return p.Patch(d.ID, object{"source_revision_config": object{"image_uri": image}})
	}
	p.Clock.Advance(20 * time.Second)
	deploy("agent:2")
	deploy("agent:3") // In the same microsecond.
	p.Clock.Advance(10 * time.Second)
	devservertest.Same(t, "revisions", []api.RevisionStatus{api.RevisionDeploying, api.RevisionSkipped, api.RevisionDeployed}, p.Revisions(d.ID))
	if got := p.Deployment(d.ID); *got.ActiveRevisionID != *d.LatestRevisionID || *got.ImageVersion != "1.0" {
		t.Errorf("active revision = %s with image version %s, want the first one", *got.ActiveRevisionID, *got.ImageVersion)
	}
	last := deploy("agent@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef")
	p.Clock.Advance(20 * time.Second)
	devservertest.Same(t, "revisions", []api.RevisionStatus{api.RevisionDeployed, api.RevisionSkipped, api.RevisionSkipped, api.RevisionDeployed}, p.Revisions(d.ID))
	if got := p.Deployment(d.ID); *got.ActiveRevisionID != *last.LatestRevisionID || got.ImageVersion != nil {
		t.Errorf("active revision = %s with image version %v, want the last one without a version", *got.ActiveRevisionID, got.ImageVersion)
	}
}

func TestListRevisions(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{Rollout: 20 * time.Second})
	d := p.Create(devservertest.ImageRequest("chat"))
	ids := []string{*d.LatestRevisionID}
	for i := range 3 {
		after := p.Patch(d.ID, object{"source_revision_config": object{"image_uri": fmt.Sprintf("agent:%d", i)}})
		ids = append([]string{*after.LatestRevisionID}, ids...)
	}
	for query, want := range map[string][]string{
		"":                      ids,
		"limit=2":               ids[:2],
		"limit=2&offset=2":      ids[2:],
		"offset=4":              {},
		"status=QUEUED":         ids[:1],
		"status=SKIPPED,QUEUED": ids,
		"status=DEPLOYED":       {},
	} {
		page := devservertest.Get[api.List[api.Revision]](p, "/v2/deployments/"+d.ID+"/revisions?"+query)
		got := []string{}
		for _, r := range page.Resources {
			got = append(got, r.ID)
		}
		devservertest.Same(t, fmt.Sprintf("%q", query), want, got)
	}
	other := p.Create(devservertest.ImageRequest("other"))
	p.Do(http.MethodGet, "/v2/deployments/"+other.ID+"/revisions/"+ids[0], nil).Want(http.StatusNotFound).
		WantDetail("Revision ID " + ids[0] + " not found.")
}

// TestRevisionIsCreating follows revisions of the dialect in which they are CREATING before they are QUEUED.
func TestRevisionIsCreating(t *testing.T) {
	t.Parallel()
	p := newProduct(t, devserver.Config{Rollout: 20 * time.Second})
	p.WithSeed(devservertest.WorkspaceA)
	path := "/v2/deployments/" + p.object(http.MethodPost, "/v2/deployments", p.github("chat"), http.StatusCreated)["id"].(string)
	made := p.object(http.MethodPost, path+"/revisions", object{}, http.StatusCreated)
	seen := []any{made["status"]}
	for range 21 {
		if status := p.latest(path); seen[len(seen)-1] != status {
			seen = append(seen, status)
		}
		p.Clock.Advance(time.Second)
	}
	want := []any{"CREATING", "QUEUED", "AWAITING_BUILD", "BUILDING", "AWAITING_DEPLOY", "DEPLOYING", "DEPLOYED"}
	devservertest.Same(t, "statuses", want, seen)
	devservertest.Must(t, p.Arm(devserver.Fault{Rollout: &devserver.RolloutFault{State: api.RevisionCreating}}))
	p.object(http.MethodPost, path+"/revisions", object{}, http.StatusCreated)
	p.Clock.Advance(time.Second)
	if status := p.latest(path); status != "CREATE_FAILED" {
		t.Errorf("a rollout that fails in CREATING is %s, want CREATE_FAILED", status)
	}
	neutral := devservertest.New(t, devserver.Config{})
	if err := neutral.Arm(devserver.Fault{Rollout: &devserver.RolloutFault{State: api.RevisionCreating}}); err == nil {
		t.Error("a fault in CREATING was armed where no revision is CREATING")
	}
}

// TestSetStatus gives a deployment the statuses that no request leads to.
func TestSetStatus(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{Rollout: 20 * time.Second})
	d := p.Create(devservertest.ImageRequest("chat"))
	set := func(status string) devservertest.Reply {
		return p.Do(http.MethodPost, "/dev/status", object{"deployment_id": d.ID, "status": status})
	}
	for _, status := range []api.DeploymentStatus{api.DeploymentUnused, api.DeploymentUnknown, api.DeploymentReady, api.DeploymentUnused} {
		answered := devservertest.Into[api.Deployment](set(string(status)).Want(http.StatusOK)).Status
		p.Clock.Advance(20 * time.Second)
		if read := devservertest.Get[api.Deployment](p, "/v2/deployments/"+d.ID).Status; answered != status || read != status {
			t.Errorf("status = %s, later %s; want %s", answered, read, status)
		}
	}
	listed := devservertest.Get[api.List[api.Deployment]](p, "/v2/deployments?status=UNUSED").Resources
	if len(listed) != 1 {
		t.Errorf("%d deployments are listed as UNUSED, want 1", len(listed))
	}
	set("AWAITING_DELETE").Want(http.StatusBadRequest)
	set("GONE").Want(http.StatusBadRequest)
	p.Do(http.MethodPost, "/dev/status", object{"deployment_id": devservertest.WorkspaceA, "status": "READY"}).Want(http.StatusNotFound)
	p.Do(http.MethodDelete, "/v2/deployments/"+d.ID, nil).Want(http.StatusNoContent)
	set("READY").Want(http.StatusBadRequest)
}
