package devserver_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

func redeploy(p *plane, deploymentID, revisionID string) reply {
	p.t.Helper()
	return p.do(http.MethodPost, "/v2/deployments/"+deploymentID+"/revisions/"+revisionID+"/redeploy", nil)
}

// Rolling back takes the older image and leaves what belongs to the deployment.
func TestRedeployOfAnOlderRevision(t *testing.T) {
	t.Parallel()
	p := newPlane(t, devserver.Config{Rollout: 20 * time.Second})
	d := p.create(imageRequest("chat", object{"secrets": []any{object{"name": "A", "value": "1"}}}))
	first := *d.LatestRevisionID
	p.clock.Advance(20 * time.Second)
	newer := p.patch(d.ID, object{
		"secrets":                []any{object{"name": "A", "value": "2"}},
		"source_revision_config": object{"image_uri": "registry.example:5000/team/agent:2.0"},
	})
	p.clock.Advance(5 * time.Second) // It is still under way.

	got := into[api.Deployment](redeploy(p, d.ID, first).want(http.StatusOK))
	if *got.LatestRevisionID == first || *got.LatestRevisionID == *newer.LatestRevisionID {
		t.Errorf("the latest revision is %s, want a new one", *got.LatestRevisionID)
	}
	if got.UpdatedAt != "2026-05-02T10:00:25.000000Z" {
		t.Errorf("updated at %s", got.UpdatedAt)
	}
	if diff := cmp.Diff(d.SourceRevisionConfig, got.SourceRevisionConfig); diff != "" {
		t.Errorf("source_revision_config (-first +redeployed):\n%s", diff)
	}
	if diff := cmp.Diff([]api.Secret{{Name: "A", Value: "2"}}, got.Secrets); diff != "" {
		t.Errorf("secrets (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(got, p.deployment(d.ID)); diff != "" {
		t.Errorf("the answer and the read after it (-answered +read):\n%s", diff)
	}
	p.clock.Advance(20 * time.Second)
	if diff := cmp.Diff([]api.RevisionStatus{api.RevisionDeployed, api.RevisionSkipped, api.RevisionDeployed}, p.revisions(d.ID)); diff != "" {
		t.Errorf("revisions (-want +got):\n%s", diff)
	}
	if after := p.deployment(d.ID); *after.ActiveRevisionID != *got.LatestRevisionID || *after.ImageVersion != "1.0" {
		t.Errorf("active revision %s with image version %s", *after.ActiveRevisionID, *after.ImageVersion)
	}
}

// The commit of the older revision is built again, not what its branch points to by now.
func TestRedeployBuildsTheSameCommit(t *testing.T) {
	t.Parallel()
	p := newPlane(t, devserver.Config{}).seed(workspaceA)
	d := p.create(p.repoRequest("chat", object{"source_config": object{"build_on_push": true}}))
	first := d.SourceRevisionConfig
	p.do(http.MethodPost, "/dev/push", object{"repo_url": "https://git.example/acme/agent", "ref": "main"}).want(http.StatusOK)
	pushed := p.deployment(d.ID)
	if *pushed.SourceRevisionConfig.RepoCommitSHA == *first.RepoCommitSHA {
		t.Fatal("the push moved nothing")
	}
	again := into[api.Deployment](redeploy(p, d.ID, *d.LatestRevisionID).want(http.StatusOK))
	if diff := cmp.Diff(first, again.SourceRevisionConfig); diff != "" {
		t.Errorf("rolled back (-first +got):\n%s", diff)
	}
	newest := into[api.Deployment](redeploy(p, d.ID, *pushed.LatestRevisionID).want(http.StatusOK))
	if diff := cmp.Diff(pushed.SourceRevisionConfig, newest.SourceRevisionConfig); diff != "" {
		t.Errorf("rolled forward (-pushed +got):\n%s", diff)
	}
}

func TestRedeployAfterAFailure(t *testing.T) {
	t.Parallel()
	p := newPlane(t, devserver.Config{})
	if err := p.Arm(devserver.Fault{Rollout: &devserver.RolloutFault{State: api.RevisionDeploying}, Times: 2}); err != nil {
		t.Fatal(err)
	}
	d := p.create(imageRequest("chat"))
	for range 2 { // The fault strikes once more.
		redeploy(p, d.ID, *d.LatestRevisionID).want(http.StatusOK)
	}
	want := []api.RevisionStatus{api.RevisionDeployed, api.RevisionDeployFailed, api.RevisionDeployFailed}
	if diff := cmp.Diff(want, p.revisions(d.ID)); diff != "" {
		t.Errorf("revisions (-want +got):\n%s", diff)
	}
}

func TestRedeployRefuses(t *testing.T) {
	t.Parallel()
	p := newPlane(t, devserver.Config{Rollout: time.Minute})
	d, other := p.create(imageRequest("chat")), p.create(imageRequest("other"))
	revision := *d.LatestRevisionID
	redeploy(p, other.ID, revision).want(http.StatusNotFound).wantDetail("Revision ID " + revision + " not found.")
	redeploy(p, revision, revision).want(http.StatusNotFound).wantDetail("Deployment ID " + revision + " not found.")
	redeploy(p, d.ID, "newest").want(http.StatusUnprocessableEntity)
	redeploy(p.as("X-Tenant-Id", workspaceB), d.ID, revision).want(http.StatusNotFound)
	p.do(http.MethodDelete, "/v2/deployments/"+d.ID, nil).want(http.StatusNoContent)
	redeploy(p, d.ID, revision).want(http.StatusBadRequest).
		wantDetail("Deployment ID " + d.ID + " is being deleted and can't be changed.")
	if diff := cmp.Diff([]api.RevisionStatus{api.RevisionQueued}, p.revisions(d.ID)); diff != "" {
		t.Errorf("revisions (-want +got):\n%s", diff)
	}
}
