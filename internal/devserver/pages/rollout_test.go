package pages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// reason is the message of a failed rollout: the first line explains nothing.
const reason = "Traceback (most recent call last):\n  File \"/app/main.py\", line 3\nModuleNotFoundError: No module named 'graph'\n"

// failedRollout makes a deployment that serves its first revision, and whose second one has failed. It returns the paths of both.
func failedRollout(t *testing.T) (p *plane, deployment string, paths [2]string) {
	t.Helper()
	p = devservertest.New(t, devserver.Config{Rollout: time.Minute}).As()
	d := p.Create(devservertest.ImageRequest("chat", object{"secrets": []any{object{"name": "API_TOKEN", "value": canary}}}))
	deployment = "/ui/deployments/" + d.ID
	newest := func() string {
		p.Clock.Advance(2 * time.Minute)
		return devservertest.Get[object](p, "/v2/deployments/"+d.ID)["latest_revision_id"].(string)
	}
	paths[0] = deployment + "/revisions/" + newest()
	devservertest.Must(t, p.Arm(devserver.Fault{Rollout: &devserver.RolloutFault{State: "DEPLOYING", Message: reason}}))
	p.Do(http.MethodPatch, "/v2/deployments/"+d.ID, object{
		"source_revision_config": object{"image_uri": "registry.example:5000/team/agent:2"}, "secrets": []any{object{"name": "API_TOKEN", "value": canary}},
	}).Want(http.StatusOK)
	paths[1] = deployment + "/revisions/" + newest()
	return p, deployment, paths
}

// TestRolloutPage checks that the page of a failed rollout has the line that explains it, what it changed, the request that made it with the
// response, and no secret.
func TestRolloutPage(t *testing.T) {
	t.Parallel()
	p, deployment, paths := failedRollout(t)
	first, second := read(p, paths[0]), read(p, paths[1])
	contains(t, second,
		"Failed in DEPLOYING after", `<p class="failure cause">ModuleNotFoundError: No module named 'graph'</p>`, `<a href="#log-1">Deploy log</a>`,
		`<span class="diff-removed">registry.example:5000/team/agent:1.0</span> <span aria-hidden="true">→</span> <span class="diff-added">registry.example:5000/team/agent:2</span>`,
		`<code>PATCH /v2/deployments/`+strings.TrimPrefix(deployment, "/ui/deployments/")+`</code> <span class="badge idle">made this revision</span>`,
		`"latest_revision_id": "`+strings.TrimPrefix(paths[1], deployment+"/revisions/")+`"`, `href="`+deployment+`#terraform"`,
	)
	contains(t, first, "Deployed in 1 min.", "There is no earlier revision to compare it with.", `<code>POST /v2/deployments</code> <span class="badge idle">made`, ">serves<")
	if strings.Contains(first, `class="failure`) || strings.Contains(first+second, canary) || strings.Count(second, "made this revision") != 1 {
		t.Error("the page of the first rollout has a failure, a page has a secret, or several requests have made the revision")
	}
	if back := read(p, paths[0]+"?against="+strings.TrimPrefix(paths[1], deployment+"/revisions/")); !strings.Contains(back, `<span class="diff-removed">registry.example:5000/team/agent:2<`) {
		t.Error("the first revision isn't compared with the second one")
	}
	if none := read(p, paths[1]+"?q=nothing"); !strings.Contains(none, "No request matches.") || !strings.Contains(none, "ModuleNotFoundError") {
		t.Error("the filter of requests doesn't apply, or not to them only")
	}
	for _, path := range []string{deployment + "/revisions/" + nobody, "/ui/deployments/" + nobody + paths[0][len(deployment):], paths[1] + "?against=" + nobody} {
		p.Do(http.MethodGet, path, nil).Want(http.StatusNotFound)
	}
}

// TestTracesBeforeAndAfter checks that the page of a rollout counts the traces before and after it, for the same time.
func TestTracesBeforeAndAfter(t *testing.T) {
	t.Parallel()
	p, _, paths := failedRollout(t) // The second rollout ends at 10:03, and it is 10:04.
	for at, status := range map[string]string{"10:01:30": "old", "10:02:30": "before", "10:02:40": "before", "10:03:30": "after"} {
		run := devservertest.RootRun(object{"name": status, "session_name": "chat", "start_time": "2026-05-02T" + at + "Z", "end_time": "2026-05-02T" + at + ".5Z"})
		p.Do(http.MethodPost, "/runs", run).Want(http.StatusAccepted)
	}
	text := read(p, paths[1])
	rows := regexp.MustCompile(`<th scope="row"><a href="[^"]+">(before|after)</a></th><td class="number">(\d+)</td>`).FindAllStringSubmatch(text, -1)
	var got []string
	for _, row := range rows {
		got = append(got, row[1]+" "+row[2])
	}
	if diff := cmp.Diff([]string{"before 2", "after 1"}, got); diff != "" {
		t.Errorf("traces (-want +got):\n%s\n%s", diff, regexp.MustCompile(`<caption>Traces.*`).FindString(text))
	}
}

// TestRedeployPage checks that the button of a rollout's page rolls the revision out again, but not for another website or workspace.
func TestRedeployPage(t *testing.T) {
	t.Parallel()
	p, deployment, paths := failedRollout(t)
	before := len(p.Revisions(strings.TrimPrefix(deployment, "/ui/deployments/")))
	for name, tc := range map[string]struct {
		path   string
		header []string
		want   int
	}{
		"another website":   {paths[0], []string{"Sec-Fetch-Site", "cross-site"}, http.StatusForbidden},
		"no such revision":  {deployment + "/revisions/" + nobody, nil, http.StatusNotFound},
		"another workspace": {strings.Replace(paths[0], "/ui/", "/ui/workspaces/"+devservertest.WorkspaceB+"/", 1), nil, http.StatusNotFound},
	} {
		if status, _ := submit(t, p, tc.path+"/redeploy", url.Values{}, tc.header...); status != tc.want {
			t.Errorf("%s: status %d, want %d", name, status, tc.want)
		}
	}
	p.Do(http.MethodGet, paths[0]+"/redeploy", nil).Want(http.StatusNotFound)
	if now := len(p.Revisions(strings.TrimPrefix(deployment, "/ui/deployments/"))); now != before {
		t.Fatalf("%d revisions after refused requests, want %d", now, before)
	}
	if status, _ := submit(t, p, paths[0]+"/redeploy", url.Values{}, "Sec-Fetch-Site", "same-origin"); status != http.StatusOK { // That of the new page.
		t.Fatalf("status of the page after a redeployment = %d, want 200", status)
	}
	id := devservertest.Get[object](p, "/v2/deployments/"+strings.TrimPrefix(deployment, "/ui/deployments/"))["latest_revision_id"].(string)
	if text := read(p, deployment+"/revisions/"+id); !strings.Contains(text, "agent:1.0") || !strings.Contains(text, "In progress: QUEUED") {
		t.Error("the newest revision isn't a rollout of the first one")
	}
}

// names returns those of the deployments on a page, in order.
func names(text string) (all []string) {
	for _, link := range regexp.MustCompile(`<th scope="row"><a href="/ui/deployments/[^"]+">([^<]+)</a>`).FindAllStringSubmatch(text, -1) {
		all = append(all, link[1])
	}
	return all
}

// TestDeploymentsByRollout checks that deployments can be filtered and sorted by the state of their rollout, and show what serves.
func TestDeploymentsByRollout(t *testing.T) {
	t.Parallel()
	p, _, paths := failedRollout(t)
	p.Create(devservertest.ImageRequest("b-good"))
	p.Clock.Advance(2 * time.Minute)
	p.Create(devservertest.ImageRequest("a-rolling"))
	for query, want := range map[string][]string{
		"": {"a-rolling", "b-good", "chat"}, "?rollout=failed": {"chat"}, "?rollout=in+progress": {"a-rolling"}, "?rollout=DEPLOYED": {"b-good"},
		"?rollout=DEPLOY_FAILED": {"chat"}, "?rollout=NEVER": nil, "?sort=rollout": {"chat", "a-rolling", "b-good"}, "?sort=name": {"a-rolling", "b-good", "chat"},
		"?sort=updated": {"a-rolling", "b-good", "chat"}, "?sort=rollout&rollout=failed": {"chat"},
	} {
		devservertest.Same(t, query, want, names(read(p, "/ui/deployments"+query)))
	}
	text := read(p, "/ui/deployments?rollout=failed")
	contains(t, text,
		`<a href="`+paths[0]+`">1.0</a>`, "an older one", `<a href="`+paths[1]+`"><span class="badge bad">`, `href="/ui/deployments?rollout=failed&sort=name"`,
	)
}

// TestServes checks that deployments show which commit or digest serves, where there is no version of an image.
func TestServes(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).As().WithSeed(devserver.DefaultWorkspaceID)
	digest := strings.Repeat("0123456789abcdef", 4)
	image := object{"source_config": object{"listener_id": p.Seeded.ListenerID, "listener_config": object{"k8s_namespace": p.Seeded.K8sNamespaces[0]}}, "source_revision_config": object{"image_uri": "registry.example/agent@sha256:" + digest}}
	pages := map[string]string{p.Create(devservertest.ImageRequest("image", image)).ID: `>agent@sha256:0123456</a> <span class="note">`, p.Create(p.RepoRequest("repository")).ID: `>main at [0-9a-f]{7}…</a> <span class="note">`}
	p.Clock.Advance(2 * time.Minute)
	list := read(p, "/ui/deployments")
	for id, want := range pages {
		for name, text := range map[string]string{"the list": list, "the page": read(p, "/ui/deployments/"+id)} {
			if !regexp.MustCompile(want).MatchString(text) {
				t.Errorf("%s doesn't match %s", name, want)
			}
		}
	}
}

// TestManyRevisions checks that 300 revisions are on pages, and can be filtered by state and by what they roll out.
func TestManyRevisions(t *testing.T) {
	t.Parallel()
	p, deployment, paths := failedRollout(t)
	for i := range 300 {
		p.Do(http.MethodPatch, "/v2/deployments/"+strings.TrimPrefix(deployment, "/ui/deployments/"), object{
			"source_revision_config": object{"image_uri": fmt.Sprintf("registry.example/agent:v%03d", i)},
		}).Want(http.StatusOK)
	}
	for query, want := range map[string]int{
		"": 50, "?contains=agent:v12": 10, "?contains=" + paths[0][len(deployment)+len("/revisions/"):]: 1, "?status=failed": 1, "?status=SKIPPED": 50, "?status=in+progress": 1, "?contains=nothing": 0,
		"?contains=agent:v12&status=failed": 0,
	} {
		text := read(p, deployment+query)
		if got := strings.Count(text, `<tr id="revision-`); got != want {
			t.Errorf("%q lists %d revisions, want %d", query, got, want)
		}
		if open := regexp.MustCompile(`<details id="more-[^"]+" open=`).FindAllString(text, -1); len(open) != min(want, 1) {
			t.Errorf("%q shows all of %d revisions, want that of the newest", query, len(open))
		}
		if want == 0 && !strings.Contains(text, "Show all revisions") {
			t.Errorf("%q has no link to all revisions", query)
		}
	}
	if next := regexp.MustCompile(`rel="next" href="([^"]+)"`).FindStringSubmatch(read(p, deployment+"?status=SKIPPED")); len(next) != 2 || !strings.Contains(next[1], "status=SKIPPED") {
		t.Errorf("link to the next page = %v, want it to keep the filter", next)
	}
}

// TestSettingsPage compares the settings of two deployments, by name and by ID.
func TestSettingsPage(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).As()
	a := p.Create(devservertest.ImageRequest("one", object{"secrets": []any{object{"name": "API_TOKEN", "value": canary}}}))
	p.Create(devservertest.ImageRequest("two", object{"source_revision_config": object{"image_uri": "registry.example/other:3"}}))
	for _, query := range []string{"?a=one&b=two", "?a=" + a.ID + "&b=two"} {
		text := read(p, "/ui/deployments/compare"+query)
		for _, want := range []string{
			`<code>environment.API_TOKEN</code> <span class="diff-removed">set</span> <span aria-hidden="true">→</span> <span class="diff-added">not set`,
			`<span class="diff-added">registry.example/other:3<`, "settings are the same", `value="one" list="names"`,
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: the page doesn't contain %s", query, want)
			}
		}
		if strings.Contains(text, canary) {
			t.Error("the page contains the value of a secret")
		}
	}
	for query, want := range map[string]string{"": "Enter the names", "?a=one&b=none": `There is no deployment "none"`, "?a=one&b=one": "They have the same settings."} {
		if text := read(p, "/ui/deployments/compare"+query); !strings.Contains(text, want) {
			t.Errorf("%q: the page doesn't contain %s", query, want)
		}
	}
}

// TestWhyDidItFail_unraced finds out why a rollout failed, what it changed, and rolls the last good revision out again: one click each.
func TestWhyDidItFail_unraced(t *testing.T) {
	t.Parallel()
	devservertest.StartBudget(t, "why a rollout failed in Chromium", 20*time.Second)
	p, _, _ := failedRollout(t)
	for i := range 30 {
		p.Create(devservertest.ImageRequest(fmt.Sprintf("other-%02d", i)))
	}
	p.Clock.Advance(2 * time.Minute)
	onScreens(t, func(b *tab) {
		b.open(p.Web.URL + "/ui/deployments?rollout=failed")
		b.follow("✕ DEPLOY_FAILED", "ModuleNotFoundError").sees("ModuleNotFoundError: No module named 'graph'", "Failed in DEPLOYING", "Redeploy this revision", "Terraform configuration") // 1
		b.click(`a[href="#settings"]`).sees("What it changed", "registry.example:5000/team/agent:2")                                                                                        // 2
	})
}

// TestReasons_unraced checks that the pages of a deployment and of its rollout say once why it failed, in whatever state that was. The log has
// all of the reason, which scrolls in its place if it is long.
func TestReasons_unraced(t *testing.T) {
	t.Parallel()
	devservertest.StartBudget(t, "reasons of failures in Chromium", 30*time.Second)
	p := devservertest.New(t, devserver.Config{Dialect: api.LangSmith, Rollout: time.Minute}).As().WithSeed(devserver.DefaultWorkspaceID)
	long := "The build failed.\n" + strings.Repeat("  at a line of a long traceback\n", 400) + "exit status 1"
	b := newTab(devservertest.NewBrowser(t), t).screen(1440, 900)
	for name, tc := range map[string]struct {
		state        api.RevisionStatus // Empty for what can't be built.
		message      string
		cause, inLog string
	}{
		"creating": {api.RevisionCreating, "no such workspace", "no such workspace", "ERROR no such workspace"}, "queued": {api.RevisionQueued, "out of quota", "out of quota", "ERROR out of quota"},
		"awaiting-build": {api.RevisionAwaitingBuild, reason, "ModuleNotFoundError: No module named 'graph'", "ERROR Traceback"}, "building": {api.RevisionBuilding, long, "The build failed.", "exit status 1"},
		"awaiting-deploy": {api.RevisionAwaitingDeploy, "\n no compute \nSee the log.", "no compute", "See the log."},
		"deploying":       {api.RevisionDeploying, "", "", "ERROR DEPLOY_FAILED"},
		"without-branch":  {"", "", "Can't fetch none of https://git.example.com/example-org/chat: there is no such branch or tag.", "ERROR Can't fetch none of"},
	} {
		ref := "none"
		if tc.state != "" {
			ref = "main"
			devservertest.Must(t, p.Arm(devserver.Fault{Rollout: &devserver.RolloutFault{State: tc.state, Message: tc.message}}))
		}
		request := p.RepoRequest(name, object{"source": "github", "source_config": object{"build_on_push": false},
			"source_revision_config": object{"repo_ref": ref, "graph_config_path": nil, "langgraph_config_path": "graph.json"}})
		d := devservertest.Into[object](p.Do(http.MethodPost, "/v2/deployments", request).Want(http.StatusCreated))
		p.Clock.Advance(2 * time.Minute)
		deployment := "/ui/deployments/" + d["id"].(string)
		for _, path := range []string{"", "/revisions/" + d["latest_revision_id"].(string)} {
			b.open(p.Web.URL + deployment + path)
			causes := value[[]string](b, `[...document.querySelectorAll(".cause")].map(e => e.innerText)`)
			text := value[string](b, `document.querySelector("main").innerText`)
			if strings.Join(causes, "\n") != tc.cause || tc.cause != "" && strings.Count(text, tc.cause) != 1 {
				t.Errorf("%s%s: causes %q, and the page says %q %d times, want once", name, path, causes, tc.cause, strings.Count(text, tc.cause))
			}
			if path != "" && tc.cause != "" {
				b.click(`a[href^="#log-"]`)
			}
			if path == "" {
				b.unfold()
			}
			b.says(tc.inLog)
			got := value[[]int](b, `(e => [e.clientHeight, e.scrollHeight, (e.scrollTop = e.scrollHeight, e.scrollTop)])([...document.querySelectorAll("pre.log")].find(e => e.innerText.includes("ERROR")))`)
			if tc.message == long && (got[0] > 500 || got[1] < 3000 || got[2] == 0) {
				t.Errorf("%s: the log shows %v of its height, and scrolls to its end; want at most 500 of at least 3000 px", path, got)
			}
		}
	}
}

// TestRolloutMarks checks that charts mark the newest 50 rollouts of their time, however many there were later.
func TestRolloutMarks(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).As()
	d := p.Create(devservertest.ImageRequest("chat"))
	p.Clock.Advance(48 * time.Hour)
	for i := range 51 {
		p.Patch(d.ID, object{"source_revision_config": object{"image_uri": fmt.Sprintf("registry.example/agent:v%d", i)}})
	}
	project := "/ui/projects/" + devservertest.Get[[]object](p, "/sessions?name=chat")[0]["id"].(string)
	for query, want := range map[string][]string{"": {"registry.example/agent:v50", "50"}, "?from=2026-05-02&to=2026-05-03": {"registry.example:5000/team/agent:1.0", "1"}} {
		marks := asJSON[struct {
			Figures struct{ Rollouts []struct{ Reference string } }
		}](p, project+query).Figures.Rollouts
		if len(marks) == 0 {
			t.Errorf("%s: no rollout is marked", query)
			continue
		}
		devservertest.Same(t, query, want, []string{marks[0].Reference, fmt.Sprint(len(marks))})
	}
}
