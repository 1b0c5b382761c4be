package controlplane_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// logs returns the lines of a deployment's latest revision.
func logs(p *plane, d api.Deployment, query string) api.LogsResponse {
	p.T.Helper()
	return devservertest.Get[api.LogsResponse](p, "/v2/deployments/"+d.ID+"/revisions/"+*d.LatestRevisionID+"/logs?"+query)
}

// texts returns the lines as "LEVEL message".
func texts(r api.LogsResponse) []string {
	list := []string{}
	for _, line := range r.Logs {
		list = append(list, string(line.Level)+" "+line.Message)
	}
	return list
}

func TestRevisionLogs(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{Rollout: 20 * time.Second}).WithSeed(devservertest.WorkspaceA)
	secrets := object{"secrets": []any{object{"name": "TOKEN", "value": "hunter22"}}}
	arm := func(state api.RevisionStatus, message string) {
		t.Helper()
		devservertest.Must(t, p.Arm(devserver.Fault{Rollout: &devserver.RolloutFault{State: state, Message: message}}))
	}
	repo := p.Create(p.RepoRequest("repo", secrets))
	arm(api.RevisionBuilding, "graph.json names no graph")
	broken := p.Create(p.RepoRequest("broken", secrets))
	arm(api.RevisionQueued, "")
	refused := p.Create(p.RepoRequest("refused"))
	image := p.As("X-Tenant-Id", devservertest.WorkspaceB).Create(devservertest.ImageRequest("image", secrets))
	built := "Building main at commit " + *repo.SourceRevisionConfig.RepoCommitSHA + "."
	if got := texts(logs(p, repo, "type=build")); len(got) != 1 || got[0] != "INFO Queued." {
		t.Errorf("lines at first = %q, want only that it is queued", got)
	}
	p.Clock.Advance(time.Hour)
	for name, tc := range map[string]struct {
		on         *plane
		deployment api.Deployment
		kind       string
		want       []string
	}{
		"build": {p, repo, "build", []string{"INFO Queued.", "INFO Waiting for a builder.", "INFO " + built}},
		"deploy": {p, repo, "deploy", []string{
			"INFO Waiting for compute.", "INFO Deploying main at commit " + *repo.SourceRevisionConfig.RepoCommitSHA + ".", "INFO Deployed.",
		}},
		"failed build": {p, broken, "build", []string{
			"INFO Queued.", "INFO Waiting for a builder.", "INFO " + built, "ERROR graph.json names no graph",
		}},
		"deploy after a failed build": {p, broken, "deploy", []string{}},
		"failed without a message":    {p, refused, "build", []string{"INFO Queued.", "ERROR CREATE_FAILED"}},
		"image has no build":          {p.As("X-Tenant-Id", devservertest.WorkspaceB), image, "build", []string{}},
		"image": {p.As("X-Tenant-Id", devservertest.WorkspaceB), image, "deploy", []string{
			"INFO Queued.", "INFO Waiting for compute.", "INFO Deploying registry.example:5000/team/agent:1.0.", "INFO Deployed.",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			on := *tc.on
			on.T = t
			got := logs(&on, tc.deployment, "type="+tc.kind)
			if diff := cmp.Diff(tc.want, texts(got)); diff != "" || got.NextOffset != nil {
				t.Errorf("next offset = %v, want null; lines (-want +got):\n%s", got.NextOffset, diff)
			}
			if strings.Contains(strings.Join(texts(got), " "), "hunter22") {
				t.Errorf("the log contains a value of the environment: %q", texts(got))
			}
		})
	}
}

func TestRevisionLogsOfASupersededRevision(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{Rollout: 20 * time.Second})
	d := p.Create(devservertest.ImageRequest("chat"))
	p.Clock.Advance(4 * time.Second)
	redeploy(p, d.ID, *d.LatestRevisionID).Want(http.StatusOK)
	want := []string{"INFO Queued.", "INFO Waiting for compute.", "WARNING Superseded by a newer revision."}
	got := logs(p, d, "type=deploy")
	devservertest.Same(t, "lines", want, texts(got))
	last := got.Logs[2]
	if last.Timestamp != "2026-05-02T10:00:04.000000Z" || !strings.HasPrefix(last.ID, *d.LatestRevisionID) {
		t.Errorf("last line = %+v, want it at 10:00:04 with an ID of the latest revision", last)
	}
}

// TestRevisionLogPages checks that paging returns every line once, in both directions, including lines added meanwhile.
func TestRevisionLogPages(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	d := p.Create(devservertest.ImageRequest("chat"))
	all := logs(p, d, "type=deploy").Logs
	if len(all) != 4 {
		t.Fatalf("lines = %+v, want 4", all)
	}
	for order, want := range map[string][]api.LogEntry{
		"asc": all, "desc": {all[3], all[2], all[1], all[0]},
	} {
		for _, limit := range []string{"1", "2", "3", "4", "1000"} {
			var got []api.LogEntry
			for offset := ""; ; {
				part := logs(p, d, "type=deploy&order="+order+"&limit="+limit+offset)
				got = append(got, part.Logs...)
				if part.NextOffset == nil || len(got) > len(all) {
					break
				}
				offset = "&offset=" + *part.NextOffset
			}
			devservertest.Same(t, fmt.Sprintf("order %s, limit %s", order, limit), want, got)
		}
	}
	for _, query := range []string{"offset=4", "offset=99", "order=desc&offset=1"} {
		if got := logs(p, d, "type=deploy&"+query); len(got.Logs) != 0 || got.NextOffset != nil {
			t.Errorf("query %s returns %+v, want no lines and no next offset", query, got)
		}
	}
}

func TestDescendingLogsDoNotShift(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{Rollout: 20 * time.Second})
	d := p.Create(devservertest.ImageRequest("chat"))
	p.Clock.Advance(6 * time.Second)
	first := logs(p, d, "type=deploy&order=desc&limit=2")
	p.Clock.Advance(time.Minute)
	second := logs(p, d, "type=deploy&order=desc&limit=2&offset="+*first.NextOffset)
	want := []string{"INFO Deploying registry.example:5000/team/agent:1.0.", "INFO Waiting for compute.", "INFO Queued."}
	devservertest.Same(t, "lines", want, append(texts(first), texts(second)...))
}

func TestRevisionLogsRefuse(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	d := p.Create(devservertest.ImageRequest("chat"))
	path := "/v2/deployments/" + d.ID + "/revisions/" + *d.LatestRevisionID + "/logs"
	for query, want := range map[string]string{
		"":                        "type missing",
		"type=run":                "type enum",
		"type=build&order=up":     "order enum",
		"type=build&limit=0":      "limit greater_than_equal",
		"type=build&limit=1001":   "limit less_than_equal",
		"type=build&offset=later": "offset int_parsing",
	} {
		r := p.Do(http.MethodGet, path+"?"+query, nil).Want(http.StatusUnprocessableEntity)
		devservertest.Same(t, fmt.Sprintf("%q", query), []string{want}, devservertest.Problems(r))
	}
	p.Do(http.MethodGet, strings.Replace(path, *d.LatestRevisionID, d.ID, 1)+"?type=build", nil).Want(http.StatusNotFound)
	p.As("X-Tenant-Id", devservertest.WorkspaceB).Do(http.MethodGet, path+"?type=build", nil).Want(http.StatusNotFound)
}
