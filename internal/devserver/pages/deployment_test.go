package pages_test

import (
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2/hclparse"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestDeploymentPage checks that the page of a failed rollout has the reason, the logs and the changes, and the
// Terraform configuration for the deployment.
func TestDeploymentPage(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{Rollout: time.Minute}).As()
	d := p.Create(devservertest.ImageRequest("chat-x", object{"secrets": []any{object{"name": "API_TOKEN", "value": "canary"}}}))
	p.Clock.Advance(2 * time.Minute)
	devservertest.Must(t, p.Arm(devserver.Fault{Rollout: &devserver.RolloutFault{State: "DEPLOYING", Message: "First line.\nSecond <line>."}}))
	p.Do(http.MethodPatch, "/v2/deployments/"+d.ID, object{"source_revision_config": object{"image_uri": "registry.example:5000/team/agent:2"}}).Want(http.StatusOK)
	p.Clock.Advance(2 * time.Minute)
	text := string(p.Do(http.MethodGet, "/ui/deployments/"+d.ID, nil).Want(http.StatusOK).Body)
	contains(t, text,
		`<p class="failure cause" title="Deploy log">First line.</p>`, "ERROR First line.\nSecond &lt;line&gt;.", `class="swatch state-failed" aria-hidden="true"></span> DEPLOY_FAILED`,
		"2 settings changed since the previous revision", "registry.example:5000/team/agent:2</span>", "Deploying registry.example:5000/team/agent:2.",
	)
	if strings.Contains(text, "canary") {
		t.Error("the page contains the value of a secret")
	}
	link := regexp.MustCompile(`href="([^"]+/logs)"`).FindStringSubmatch(text)
	if link == nil {
		t.Fatal("the page has no link to the logs")
	}
	logs := read(p, link[1]+"?q=second")
	if !strings.Contains(logs, "Second <line>.") || strings.Contains(logs, "Queued.") {
		t.Errorf("a search in the logs shows wrong lines, want the second one only:\n%s", logs)
	}
	p.Do(http.MethodGet, "/ui/deployments/"+d.ID+"/revisions/"+nobody+"/logs", nil).Want(http.StatusNotFound)

	config := html.UnescapeString(regexp.MustCompile(`(?s)data-copy="copy">(.*?)</pre>`).FindStringSubmatch(text)[1])
	file, problems := hclparse.NewParser().ParseHCL([]byte(config), "main.tf")
	if problems.HasErrors() {
		t.Fatalf("%s\n%s", problems, config)
	}
	content, _ := file.Body.JustAttributes()
	if len(content) != 0 {
		t.Errorf("arguments outside of blocks = %v, want none", content)
	}
	contains(t, config, `resource "agentplane_deployment" "chat_x"`, `id = "`+d.ID+`"`, `"chat-x"`, `"registry.example:5000/team/agent:2"`, "# Set in its environment")
}

// TestLaterRevisions checks that only the first page of revisions is live, because an update would replace the content of later pages.
func TestLaterRevisions(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{Rollout: time.Minute}).As()
	d := p.Create(devservertest.ImageRequest("chat"))
	for i := range 60 {
		p.Do(http.MethodPatch, "/v2/deployments/"+d.ID, object{"source_revision_config": object{"image_uri": fmt.Sprint("registry.example/agent:", i)}}).Want(http.StatusOK)
	}
	first := read(p, "/ui/deployments/"+d.ID)
	next := regexp.MustCompile(`rel="next" href="([^"]+)"`).FindStringSubmatch(first)
	if next == nil || !isLive(first) {
		t.Fatal("the first page isn't live, or has no next page")
	}
	second := read(p, next[1])
	if isLive(second) || !strings.Contains(second, "registry.example/agent:5<") {
		t.Error("the second page is live, or lacks the revision agent:5")
	}
}

// TestProjectOfDeployment checks that a deployment and its project link to each other.
func TestProjectOfDeployment(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).As()
	d := p.Create(devservertest.ImageRequest("chat"))
	project := devservertest.Get[[]object](p, "/sessions?name=chat")[0]["id"].(string)
	if text := read(p, "/ui/projects/"+project); !strings.Contains(text, `href="/ui/deployments/`+d.ID+`"`) {
		t.Error("the project's page has no link to the deployment")
	}
	if text := read(p, "/ui/deployments/"+d.ID); !strings.Contains(text, `href="/ui/projects/`+project+`"`) {
		t.Error("the deployment's page has no link to the project")
	}
	revision := devservertest.Get[object](p, "/v2/deployments/"+d.ID)["latest_revision_id"].(string)
	p.Do(http.MethodPost, "/runs/batch", object{"post": []any{
		devservertest.RootRun(object{"name": "of it", "session_name": "chat", "extra": object{"metadata": object{"revision_id": revision}}}),
		devservertest.RootRun(object{"name": "of another", "session_name": "chat", "extra": object{"metadata": object{"revision_id": d.ID}}}),
	}}).Want(http.StatusAccepted)
	link := regexp.MustCompile(`href="([^"]+)">Traces of this revision<`).FindStringSubmatch(read(p, "/ui/deployments/"+d.ID))
	if link == nil {
		t.Fatal("the revision has no link to its traces")
	}
	if got := listed(read(p, link[1])); !cmp.Equal(got, []string{"of it"}) {
		t.Errorf("traces of the revision = %q, want one, \"of it\"", got)
	}
}

// TestServed checks that each revision has the figures of the traces that began from when it was deployed until the next one was, and that the
// charts of a time range mark the rollouts in it.
func TestServed(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).As()
	d := p.Create(devservertest.ImageRequest("chat"))
	p.Clock.Advance(time.Hour)
	p.Do(http.MethodPatch, "/v2/deployments/"+d.ID, object{"source_revision_config": object{"image_uri": "registry.example/agent:2"}}).Want(http.StatusOK)
	p.Clock.Advance(time.Hour)
	call := func(start string, cost float64, changes object) object {
		outputs := object{"usage_metadata": object{"input_tokens": 1, "output_tokens": 1, "total_tokens": 2, "total_cost": cost}}
		return devservertest.RootRun(object{"session_name": "chat", "run_type": "llm", "start_time": "2026-05-02T" + start + "Z", "outputs": outputs}, changes)
	}
	p.Do(http.MethodPost, "/runs/batch", object{"post": []any{
		call("09:59:59", 4, nil), call("10:00:01", 1, object{"error": "no"}), call("10:59:59", 0.5, nil), call("11:00:01", 0.25, nil),
	}}).Want(http.StatusAccepted)
	type served struct {
		Runs, Errors int
		TotalCost    string `json:"total_cost"`
	}
	page := asJSON[struct {
		Timeline struct{ Revisions []struct{ Served served } }
	}](p, "/ui/deployments/"+d.ID)
	var got []served
	for _, revision := range page.Timeline.Revisions {
		got = append(got, revision.Served)
	}
	devservertest.Same(t, "figures since each revision, newest first", []served{{1, 0, "0.25"}, {2, 1, "1.5"}}, got)
	project := devservertest.Get[[]object](p, "/sessions?name=chat")[0]["id"].(string)
	for query, want := range map[string]string{"from=2026-05-02T10:00&to=2026-05-02T11:00": "registry.example:5000/team/agent:1.0", "from=2026-05-02T11:00": "registry.example/agent:2"} {
		marked := asJSON[struct {
			Figures struct{ Rollouts []struct{ Reference string } }
		}](p, "/ui/projects/"+project+"?"+query).Figures.Rollouts
		devservertest.Same(t, "rollouts "+query, []struct{ Reference string }{{want}}, marked)
	}
}
