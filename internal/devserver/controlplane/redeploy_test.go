package controlplane_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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
	if got.UpdatedAt != "2026-05-02T10:00:25.000000Z" {
		t.Errorf("updated_at = %s, want 10:00:25", got.UpdatedAt)
	}
	if diff := cmp.Diff(d.SourceRevisionConfig, got.SourceRevisionConfig); diff != "" {
		t.Errorf("source_revision_config (-first +redeployed):\n%s", diff)
	}
	if diff := cmp.Diff([]api.Secret{{Name: "A", Value: "2"}}, got.Secrets); diff != "" {
		t.Errorf("secrets (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(got, p.Deployment(d.ID)); diff != "" {
		t.Errorf("response and the next read differ (-answered +read):\n%s", diff)
	}
	p.Clock.Advance(20 * time.Second)
	if diff := cmp.Diff([]api.RevisionStatus{api.RevisionDeployed, api.RevisionSkipped, api.RevisionDeployed}, p.Revisions(d.ID)); diff != "" {
		t.Errorf("revisions (-want +got):\n%s", diff)
	}
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
	if diff := cmp.Diff(first, again.SourceRevisionConfig); diff != "" {
		t.Errorf("rolled back (-first +got):\n%s", diff)
	}
	newest := devservertest.Into[api.Deployment](redeploy(p, d.ID, *pushed.LatestRevisionID).Want(http.StatusOK))
	if diff := cmp.Diff(pushed.SourceRevisionConfig, newest.SourceRevisionConfig); diff != "" {
		t.Errorf("rolled forward (-pushed +got):\n%s", diff)
	}
}

func TestRedeployAfterAFailure(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	if err := p.Arm(devserver.Fault{Rollout: &devserver.RolloutFault{State: api.RevisionDeploying}, Times: 2}); err != nil {
		t.Fatal(err)
	}
	d := p.Create(devservertest.ImageRequest("chat"))
	for range 2 { // The first one fails again.
		redeploy(p, d.ID, *d.LatestRevisionID).Want(http.StatusOK)
	}
	want := []api.RevisionStatus{api.RevisionDeployed, api.RevisionDeployFailed, api.RevisionDeployFailed}
	if diff := cmp.Diff(want, p.Revisions(d.ID)); diff != "" {
		t.Errorf("revisions (-want +got):\n%s", diff)
	}
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
	if diff := cmp.Diff([]api.RevisionStatus{api.RevisionQueued}, p.Revisions(d.ID)); diff != "" {
		t.Errorf("revisions (-want +got):\n%s", diff)
	}
}
