package controlplane_test

import (
	"net/http"
	"testing"
	"time"

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
	const repo = "https://git.example.com/example-org/chat"
	p := devservertest.New(t, devserver.Config{Rollout: 20 * time.Second}).WithSeed(devservertest.WorkspaceA).WithSeed(devservertest.WorkspaceB)
	b := p.As("X-Tenant-Id", devservertest.WorkspaceB)
	tracks := object{"source_config": object{"build_on_push": true}}
	foreign := b.Create(b.RepoRequest("tracks", tracks))
	p.WithSeed(devservertest.WorkspaceA)
	tracking := p.Create(p.RepoRequest("tracks", tracks))
	spelt := p.Create(p.RepoRequest("spelt", tracks, object{"source_config": object{"repo_url": repo + ".git"}}))
	p.Create(p.RepoRequest("still"))
	p.Create(p.RepoRequest("branch", tracks, object{"source_revision_config": object{"repo_ref": "next"}}))
	p.Create(p.RepoRequest("elsewhere", tracks, object{"source_config": object{"repo_url": "https://git.example.com/example-org/research-agent"}}))
	deleted := p.Create(p.RepoRequest("deleted", tracks))
	p.Do(http.MethodDelete, "/v2/deployments/"+deleted.ID, nil).Want(http.StatusNoContent)

	got := push(p, repo, "refs/heads/main")
	want := pushed{RepoCommitSHA: got.RepoCommitSHA, Revisions: []map[string]string{
		{"deployment_id": tracking.ID, "revision_id": *p.Deployment(tracking.ID).LatestRevisionID},
		{"deployment_id": spelt.ID, "revision_id": *p.Deployment(spelt.ID).LatestRevisionID},
	}}
	devservertest.Same(t, "push", want, got)
	if *foreign.LatestRevisionID != *b.Deployment(foreign.ID).LatestRevisionID {
		t.Error("the push made a revision in another workspace")
	}
	after := p.Deployment(tracking.ID)
	if sha := *after.SourceRevisionConfig.RepoCommitSHA; sha != got.RepoCommitSHA || sha == *tracking.SourceRevisionConfig.RepoCommitSHA {
		t.Errorf("repo_commit_sha = %s, want the new commit %s", sha, got.RepoCommitSHA)
	}
	devservertest.Same(t, "revisions", []api.RevisionStatus{api.RevisionQueued, api.RevisionSkipped}, p.Revisions(tracking.ID))

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
	p.Do(http.MethodPost, "/dev/push", object{"repo_url": repo, "ref": "refs/pull/1"}).Want(http.StatusBadRequest)
	p.Do(http.MethodPost, "/dev/push", object{"repo_url": repo + "s", "ref": "main"}).Want(http.StatusNotFound).
		WantDetail("Repository " + repo + "s not found: no integration of this workspace has it.")
}

// TestBuilds builds refs that exist and refs that don't, and commits that fail, which are pushed or registered.
func TestBuilds(t *testing.T) {
	t.Parallel()
	const repo = "https://git.example.com/example-org/chat"
	const missing = "Can't fetch feature of " + repo + ": there is no such branch or tag."
	p := devservertest.New(t, devserver.Config{}).WithSeed(devservertest.WorkspaceA)
	d := p.Create(p.RepoRequest("chat", object{"source_revision_config": object{"repo_ref": "feature"}, "source_config": object{"build_on_push": true}}))
	wantNewest := func(status api.RevisionStatus, log string) api.Revision {
		t.Helper()
		path := "/v2/deployments/" + d.ID + "/revisions"
		newest := devservertest.Get[api.List[api.Revision]](p, path).Resources[0]
		lines := devservertest.Get[api.LogsResponse](p, path+"/"+newest.ID+"/logs?type=build&order=desc").Logs
		if newest.Status != status || len(lines) == 0 || lines[0].Message != log {
			t.Errorf("newest revision is %s, log %+v; want %s, last line %q", newest.Status, lines, status, log)
		}
		return newest
	}
	if newest := wantNewest(api.RevisionBuildFailed, missing); newest.SourceRevisionConfig.RepoCommitSHA != nil {
		t.Errorf("a ref that doesn't exist has commit %s", *newest.SourceRevisionConfig.RepoCommitSHA)
	}
	pushed := push(p, repo, "feature") // Now it exists.
	if newest := wantNewest(api.RevisionDeployed, "Building feature at commit "+pushed.RepoCommitSHA+"."); *newest.SourceRevisionConfig.RepoCommitSHA != pushed.RepoCommitSHA {
		t.Errorf("commit = %s, want the pushed one %s", *newest.SourceRevisionConfig.RepoCommitSHA, pushed.RepoCommitSHA)
	}
	p.Do(http.MethodPost, "/dev/push", object{"repo_url": repo, "ref": "feature", "build_error": "no such module"}).Want(http.StatusOK)
	broken := wantNewest(api.RevisionBuildFailed, "no such module")
	good := push(p, repo, "feature")
	wantNewest(api.RevisionDeployed, "Building feature at commit "+good.RepoCommitSHA+".")
	redeploy(p, d.ID, broken.ID).Want(http.StatusOK)
	wantNewest(api.RevisionBuildFailed, "no such module") // The commit is built again, not the branch.
	p.Patch(d.ID, object{"source_revision_config": object{"repo_ref": "refs/tags/v1.0.0"}, "source_config": object{"build_on_push": false}})
	if first := wantNewest(api.RevisionDeployed, "Building refs/tags/v1.0.0 at commit "+*p.Deployment(d.ID).SourceRevisionConfig.RepoCommitSHA+"."); first.ID == broken.ID {
		t.Error("the tag made no revision")
	}
	p.Patch(d.ID, object{"source_revision_config": object{"repo_ref": "broken"}})
	wantNewest(api.RevisionBuildFailed, `npm error: Missing script: "build"`)
}
