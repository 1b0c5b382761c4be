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

type pushed struct {
	RepoCommitSHA string              `json:"repo_commit_sha"`
	Revisions     []map[string]string `json:"revisions"`
}

func push(p *plane, repoURL, ref string) pushed {
	p.T.Helper()
	return devservertest.Into[pushed](p.Do(http.MethodPost, "/dev/push", object{"repo_url": repoURL, "ref": ref}).Want(http.StatusOK))
}

func TestPush(t *testing.T) {
	t.Parallel()
	const repo = "https://git.example/acme/agent"
	p := devservertest.New(t, devserver.Config{Rollout: 20 * time.Second}).WithSeed(devservertest.WorkspaceA).WithSeed(devservertest.WorkspaceB)
	b := p.As("X-Tenant-Id", devservertest.WorkspaceB)
	tracks := object{"source_config": object{"build_on_push": true}}
	foreign := b.Create(b.RepoRequest("tracks", tracks))
	p.WithSeed(devservertest.WorkspaceA)
	tracking := p.Create(p.RepoRequest("tracks", tracks))
	spelt := p.Create(p.RepoRequest("spelt", tracks, object{"source_config": object{"repo_url": repo + ".git"}}))
	p.Create(p.RepoRequest("still"))
	p.Create(p.RepoRequest("branch", tracks, object{"source_revision_config": object{"repo_ref": "next"}}))
	p.Create(p.RepoRequest("elsewhere", tracks, object{"source_config": object{"repo_url": "https://git.example/b"}}))
	deleted := p.Create(p.RepoRequest("deleted", tracks))
	p.Do(http.MethodDelete, "/v2/deployments/"+deleted.ID, nil).Want(http.StatusNoContent)

	got := push(p, repo, "refs/heads/main")
	want := pushed{RepoCommitSHA: got.RepoCommitSHA, Revisions: []map[string]string{
		{"deployment_id": tracking.ID, "revision_id": *p.Deployment(tracking.ID).LatestRevisionID},
		{"deployment_id": spelt.ID, "revision_id": *p.Deployment(spelt.ID).LatestRevisionID},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("push (-want +got):\n%s", diff)
	}
	if *foreign.LatestRevisionID != *b.Deployment(foreign.ID).LatestRevisionID {
		t.Error("the push made a revision in another workspace")
	}
	after := p.Deployment(tracking.ID)
	if sha := *after.SourceRevisionConfig.RepoCommitSHA; sha != got.RepoCommitSHA || sha == *tracking.SourceRevisionConfig.RepoCommitSHA {
		t.Errorf("repo_commit_sha = %s, want the new commit %s", sha, got.RepoCommitSHA)
	}
	if diff := cmp.Diff([]api.RevisionStatus{api.RevisionQueued, api.RevisionSkipped}, p.Revisions(tracking.ID)); diff != "" {
		t.Errorf("revisions (-want +got):\n%s", diff)
	}

	// A revision without a push is built from the same commit.
	again := p.Patch(tracking.ID, object{"secrets": []any{}})
	if *again.SourceRevisionConfig.RepoCommitSHA != got.RepoCommitSHA {
		t.Error("a revision without a push has another commit, want the same")
	}
	if next := push(p, repo, "main"); next.RepoCommitSHA == got.RepoCommitSHA || len(next.Revisions) != 2 {
		t.Errorf("the next push = %+v, want a new commit and two revisions", next)
	}
	if none := push(p, repo, "unknown"); len(none.Revisions) > 0 {
		t.Errorf("push to a branch that no deployment tracks = %+v, want no revisions", none)
	}
	p.Do(http.MethodPost, "/dev/push", object{"ref": "main"}).Want(422)
}
