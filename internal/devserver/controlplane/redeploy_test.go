package controlplane_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

func redeploy(p *plane, deploymentID, revisionID string) devservertest.Reply {
	p.T.Helper()
	return p.Do(http.MethodPost, "/v2/deployments/"+deploymentID+"/revisions/"+revisionID+"/redeploy", nil)
}

// TestRedeployOfAnOlderRevision checks that a rollback uses the older image and keeps the deployment's other settings.
func TestRedeployOfAnOlderRevision(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{Rollout: 20 * time.Second})
	d := p.Create(devservertest.ImageRequest("chat", object{"secrets": []any{object{"name": "A", "value": "1"}}}))
	first := *d.LatestRevisionID
	p.Clock.Advance(20 * time.Second)
	newer := p.Patch(d.ID, object{
		"secrets":                []any{object{"name": "A", "value": "2"}},
		"source_revision_config": object{"image_uri": "registry.example:5000/team/agent:2.0"},
	})
	p.Clock.Advance(5 * time.Second) // Its rollout is still in progress.

	got := devservertest.Into[api.Deployment](redeploy(p, d.ID, first).Want(http.StatusOK))
	if *got.LatestRevisionID == first || *got.LatestRevisionID == *newer.LatestRevisionID {
		t.Errorf("latest revision = %s, want a new one", *got.LatestRevisionID)
	}
	devservertest.Same(t, "updated_at", "2026-05-02T10:00:25.000000Z", got.UpdatedAt)
	devservertest.Same(t, "source_revision_config", d.SourceRevisionConfig, got.SourceRevisionConfig)
	devservertest.Same(t, "secrets", []api.Secret{{Name: "A", Value: "2"}}, got.Secrets)
	devservertest.Same(t, "response and the next read differ", got, p.Deployment(d.ID))
	p.Clock.Advance(20 * time.Second)
	devservertest.Same(t, "revisions", []api.RevisionStatus{api.RevisionDeployed, api.RevisionSkipped, api.RevisionDeployed}, p.Revisions(d.ID))
	if after := p.Deployment(d.ID); *after.ActiveRevisionID != *got.LatestRevisionID || *after.ImageVersion != "1.0" {
		t.Errorf("active revision = %s with image version %s, want the redeployed one with 1.0", *after.ActiveRevisionID, *after.ImageVersion)
	}
}

// TestRedeployBuildsTheSameCommit checks that the older revision's commit is built again, not the branch's current one.
func TestRedeployBuildsTheSameCommit(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).WithSeed(devservertest.WorkspaceA)
	d := p.Create(p.RepoRequest("chat", object{"source_config": object{"build_on_push": true}}))
	first := d.SourceRevisionConfig
	p.Do(http.MethodPost, "/dev/push", object{"repo_url": "https://git.example.com/example-org/chat", "ref": "main"}).Want(http.StatusOK)
	pushed := p.Deployment(d.ID)
	if *pushed.SourceRevisionConfig.RepoCommitSHA == *first.RepoCommitSHA {
		t.Fatal("the push didn't change the commit")
	}
	again := devservertest.Into[api.Deployment](redeploy(p, d.ID, *d.LatestRevisionID).Want(http.StatusOK))
	devservertest.Same(t, "rolled back", first, again.SourceRevisionConfig)
	newest := devservertest.Into[api.Deployment](redeploy(p, d.ID, *pushed.LatestRevisionID).Want(http.StatusOK))
	devservertest.Same(t, "rolled forward", pushed.SourceRevisionConfig, newest.SourceRevisionConfig)
}

func TestRedeployAfterAFailure(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	devservertest.Must(t, p.Arm(devserver.Fault{Rollout: &devserver.RolloutFault{State: api.RevisionDeploying}, Times: 2}))
	d := p.Create(devservertest.ImageRequest("chat"))
	for range 2 { // The first one fails again.
		redeploy(p, d.ID, *d.LatestRevisionID).Want(http.StatusOK)
	}
	want := []api.RevisionStatus{api.RevisionDeployed, api.RevisionDeployFailed, api.RevisionDeployFailed}
	devservertest.Same(t, "revisions", want, p.Revisions(d.ID))
}

func TestRedeployRefuses(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{Rollout: time.Minute})
	d, other := p.Create(devservertest.ImageRequest("chat")), p.Create(devservertest.ImageRequest("other"))
	revision := *d.LatestRevisionID
	redeploy(p, other.ID, revision).Want(http.StatusNotFound).WantDetail("Revision ID " + revision + " not found.")
	redeploy(p, revision, revision).Want(http.StatusNotFound).WantDetail("Deployment ID " + revision + " not found.")
	redeploy(p, d.ID, "newest").Want(http.StatusUnprocessableEntity)
	redeploy(p.As("X-Tenant-Id", devservertest.WorkspaceB), d.ID, revision).Want(http.StatusNotFound)
	p.Do(http.MethodDelete, "/v2/deployments/"+d.ID, nil).Want(http.StatusNoContent)
	redeploy(p, d.ID, revision).Want(http.StatusBadRequest).
		WantDetail("Deployment ID " + d.ID + " is being deleted and can't be changed.")
	devservertest.Same(t, "revisions", []api.RevisionStatus{api.RevisionQueued}, p.Revisions(d.ID))
}
