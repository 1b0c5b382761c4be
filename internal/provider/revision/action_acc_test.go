package revision_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

const (
	redeploy = "agentplane_redeploy_revision"
	getting  = "GET /v2/deployments/{deployment_id}"
	sending  = "POST /v2/deployments/{deployment_id}/revisions/{revision_id}/redeploy"
	looking  = "GET /v2/deployments/{deployment_id}/revisions/{revision_id}"
)

// secret is the value of a secret of every deployment here.
const secret = "canary-of-the-environment"

// chat is a deployment whose revisions are made of the images :1, :2 and so on.
type chat struct {
	t     *testing.T
	plane *providertest.Plane
	rpc   *providertest.RPC
	// action is what invoke invokes.
	action string
	id     string
	// revisions are the ids, the first one first.
	revisions []string
}

type deploymentAnswer struct {
	ID                   string  `json:"id"`
	Status               string  `json:"status"`
	LatestRevisionID     string  `json:"latest_revision_id"`
	ActiveRevisionID     *string `json:"active_revision_id"`
	SourceRevisionConfig struct {
		ImageURI string `json:"image_uri"`
	} `json:"source_revision_config"`
}

// deployed makes a deployment and deploys a number of images.
func deployed(t *testing.T, images int, configure ...func(*devserver.Config)) *chat {
	t.Helper()
	plane := providertest.NewDev(t, configure...)
	c := &chat{t: t, plane: plane, rpc: plane.RPC(), action: redeploy}
	made := plane.Deploy("chat", api.Secret{Name: "TOKEN", Value: secret})
	c.id, c.revisions = made.ID, []string{*made.LatestRevisionID}
	plane.Clock.Advance(providertest.Rollout)
	for i := 2; i <= images; i++ {
		c.push(i)
		plane.Clock.Advance(providertest.Rollout)
	}
	return c
}

func imageURI(tag int) string { return fmt.Sprintf("registry.example.com/agents/chat:%d", tag) }

// push creates a revision as another user would.
func (c *chat) push(tag int) {
	c.t.Helper()
	var made deploymentAnswer
	c.plane.Call("PATCH", "/v2/deployments/"+c.id, map[string]any{
		"source_revision_config": map[string]any{"image_uri": imageURI(tag)},
	}, &made)
	c.revisions = append(c.revisions, made.LatestRevisionID)
}

func (c *chat) now() deploymentAnswer {
	c.t.Helper()
	var answer deploymentAnswer
	c.plane.Call("GET", "/v2/deployments/"+c.id, nil, &answer)
	return answer
}

// between puts a proxy between the provider and the dev server, in which answer may answer a request instead.
func (c *chat) between(answer func(http.ResponseWriter, *http.Request) bool) {
	c.t.Helper()
	target, err := url.Parse(c.plane.URL)
	if err != nil {
		c.t.Fatal(err)
	}
	forward := httputil.NewSingleHostReverseProxy(target)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !answer(w, r) {
			forward.ServeHTTP(w, r)
		}
	}))
	c.t.Cleanup(proxy.Close)
	c.plane.Setenv("AGENTPLANE_BASE_URL", proxy.URL)
	c.rpc = c.plane.RPC()
}

// whileIn has answer see every check of a revision with a status from the second one on, as the provider has reported it then. A callback for
// messages would come too late: the provider doesn't wait for it.
func (c *chat) whileIn(status api.RevisionStatus, answer func(http.ResponseWriter) bool) {
	c.t.Helper()
	checks := 0
	c.between(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodGet || path.Base(path.Dir(r.URL.Path)) != "revisions" {
			return false
		}
		now := httptest.NewRecorder()
		c.plane.Service.ServeHTTP(now, r)
		if !strings.Contains(now.Body.String(), fmt.Sprintf("%q", status)) {
			return false
		}
		checks++
		return checks > 1 && answer(w)
	})
}

// invoke invokes the action, with more arguments than the deployment's id.
func (c *chat) invoke(more map[string]any) outcome {
	c.t.Helper()
	return c.invokeIn(c.t.Context(), more)
}

func (c *chat) invokeIn(ctx context.Context, more map[string]any) outcome {
	c.t.Helper()
	arguments := map[string]any{"deployment_id": c.id}
	maps.Copy(arguments, more)
	messages, diags := c.rpc.Invoke(ctx, c.action, arguments, nil)
	o := outcome{c, messages, diags}
	if strings.Contains(o.String(), secret) {
		c.t.Errorf("a secret is told:\n%s", o)
	}
	return o
}

// outcome is what an invocation told, on the way and in the end.
type outcome struct {
	c        *chat
	messages []string
	diags    []*tfprotov6.Diagnostic
}

func (o outcome) String() string {
	return strings.Join(o.messages, "\n") + "\n" + providertest.Told(o.diags)
}

var elapsed = regexp.MustCompile(` \((\d+[hms][0-9hms]*)\)$`)

// told are the messages with short names for the revisions, R1 the first, and without the times, whose order it checks.
func (o outcome) told() []string {
	o.c.t.Helper()
	var told []string
	var before time.Duration
	for _, message := range o.messages {
		if found := elapsed.FindStringSubmatch(message); found != nil {
			at, err := time.ParseDuration(found[1])
			if err != nil || at < before {
				o.c.t.Errorf("%q comes after %s: %v", message, before, err)
			}
			before, message = at, strings.TrimSuffix(message, found[0])
		}
		told = append(told, o.c.named(message))
	}
	return told
}

// named replaces ids by short names; a revision that no push made is R and the number of its place.
func (c *chat) named(text string) string {
	c.t.Helper()
	for i, id := range c.revisions {
		text = strings.ReplaceAll(text, id, fmt.Sprintf("R%d", i+1))
	}
	return text
}

// learn makes the newest revision known by its place.
func (c *chat) learn() {
	c.t.Helper()
	if newest := c.now().LatestRevisionID; !slices.Contains(c.revisions, newest) {
		c.revisions = append(c.revisions, newest)
	}
}

// expect compares the messages but for heartbeats, and looks for words in the diagnostics, in this order; no words means
// none.
func (o outcome) expect(messages []string, words ...string) {
	o.c.t.Helper()
	o.c.learn()
	got := slices.DeleteFunc(o.told(), func(message string) bool {
		return strings.Contains(message, ": still ") || strings.HasSuffix(message, waiting) || o.c.plane.Dialect().ShowsCreating && strings.HasSuffix(message, ": CREATING")
	})
	if diff := cmp.Diff(messages, got); diff != "" {
		o.c.t.Errorf("messages (-want +got):\n%s", diff)
	}
	rest := o.c.named(providertest.Told(o.diags))
	if len(words) == 0 && rest != "" {
		o.c.t.Errorf("want no diagnostics, got:\n%s", rest)
	}
	for _, want := range words {
		_, after, found := strings.Cut(rest, want)
		if !found {
			o.c.t.Fatalf("want %q in its place, got:\n%s", want, o.c.named(providertest.Told(o.diags)))
		}
		rest = after
	}
}

// sent are the redeployments that reached the dev server.
func (c *chat) sent(want int) {
	c.t.Helper()
	if got := len(c.plane.Requests("POST", "/v2/deployments/*/revisions/*/redeploy")); got != want {
		c.t.Errorf("%d redeployments were sent, want %d", got, want)
	}
}

// rolledOut are the states of a rollout of revision r.
func rolledOut(r string, more ...string) []string {
	var told []string
	for _, status := range append([]string{"QUEUED", "AWAITING_DEPLOY", "DEPLOYING"}, more...) {
		told = append(told, fmt.Sprintf("revision %s: %s", r, status))
	}
	return told
}

const (
	newest      = `deployment "chat": redeploying its newest revision, R1`
	fromTo      = "from revision R2 (registry.example.com/agents/chat:2) to R1 (registry.example.com/agents/chat:1)"
	waiting     = "waiting for its rollout, which continues if Terraform is interrupted"
	rollingBack = `deployment "chat": rolling back ` + fromTo
)

// TestAccRedeployRevision redeploys the newest revision, and rolls back to an older one.
func TestAccRedeployRevision(t *testing.T) {
	t.Parallel()
	providertest.EachDialect(t, func(t *testing.T) {
		for name, test := range map[string]struct {
			revision int // 0 is none.
			first    string
			image    int
		}{
			"newest":         {0, `deployment "chat": redeploying its newest revision, R2`, 2},
			"newest by name": {2, `deployment "chat": redeploying its newest revision, R2`, 2},
			"older":          {1, rollingBack, 1},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				c := deployed(t, 2)
				var more map[string]any
				if test.revision > 0 {
					more = map[string]any{"revision_id": c.revisions[test.revision-1], "workspace_id": providertest.WorkspaceID}
				}
				c.invoke(more).expect(append([]string{test.first}, rolledOut("R3", "DEPLOYED")...))
				c.sent(1)
				now := c.now()
				if now.SourceRevisionConfig.ImageURI != imageURI(test.image) || now.ActiveRevisionID == nil ||
					*now.ActiveRevisionID != now.LatestRevisionID {
					t.Errorf("the deployment is %+v", now)
				}
			})
		}
	})
}

// TestAccRedeployRevision_heartbeat expects a word at least every 45 seconds: after 30 seconds of silence, at the next look.
func TestAccRedeployRevision_heartbeat(t *testing.T) {
	t.Parallel()
	const slow = 10 * time.Minute
	c := deployed(t, 1, func(cfg *devserver.Config) { cfg.Rollout = slow })
	c.plane.Clock.Advance(slow)
	o := c.invoke(nil)
	c.learn()
	var before time.Duration
	for _, message := range o.messages {
		found := elapsed.FindStringSubmatch(message)
		if found == nil {
			t.Fatalf("%q doesn't say when", message)
		}
		at, err := time.ParseDuration(found[1])
		if err != nil || at-before > 50*time.Second {
			t.Errorf("%q comes after a silence of %s: %v", message, at-before, err)
		}
		before = at
	}
	if !slices.Contains(o.told(), "revision R2: still DEPLOYING") || before < slow {
		t.Errorf("want heartbeats until the end, got:\n%s", o)
	}
}

// TestAccRedeployRevision_failed expects the reason, the end of the right log, and what to do.
func TestAccRedeployRevision_failed(t *testing.T) {
	t.Parallel()
	const reason = "the container exited with code 1"
	for state, status := range map[api.RevisionStatus]string{
		api.RevisionQueued: "CREATE_FAILED", api.RevisionDeploying: "DEPLOY_FAILED",
	} {
		t.Run(string(state), func(t *testing.T) {
			t.Parallel()
			c := deployed(t, 1)
			c.plane.Arm(devserver.Fault{Rollout: &devserver.RolloutFault{
				State: state, Message: reason + " " + secret,
			}})()
			want := append([]string{newest}, "revision R2: QUEUED")
			if state == api.RevisionDeploying {
				want = append([]string{newest}, rolledOut("R2")...)
			}
			want = append(want, "revision R2: "+status, "deploy log: INFO Queued.")
			if state == api.RevisionDeploying {
				want = append(want, "deploy log: INFO Waiting for compute.", "deploy log: INFO Deploying "+imageURI(1)+".")
			}
			want = append(want, "deploy log: ERROR "+reason+" ***")
			c.invoke(nil).expect(want, `ERROR: Rollout of deployment "chat" failed`, reason+" ***", "Revision: R2", status,
				"after", "Revision R1, which was active before, is still active", "revision_id")
			c.sent(1)
		})
	}
}

// TestAccRedeployRevision_logUnreadable expects the failure all the same.
func TestAccRedeployRevision_logUnreadable(t *testing.T) {
	t.Parallel()
	c := deployed(t, 1)
	c.plane.Arm(devserver.Fault{Rollout: &devserver.RolloutFault{State: "QUEUED"}},
		devserver.Fault{Match: looking + "/logs", Status: 404, Detail: "No logs of " + secret})()
	o := c.invoke(nil)
	c.learn()
	last := o.told()[len(o.messages)-1]
	if !strings.HasPrefix(last, "revision R2: cannot read its log: ") || !strings.Contains(last, "No logs of ***") {
		t.Errorf("the last message is %q", last)
	}
	if text := providertest.Told(o.diags); !strings.Contains(text, "The service gives no reason.") {
		t.Errorf("diagnostics %s", text)
	}
}

// TestAccRollBack_superseded is no success if the revision that another user has pushed has another source.
func TestAccRollBack_superseded(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		tag   int
		words []string
	}{
		"another image":  {9, []string{"ERROR: Revision of deployment", "Revision R3 was not deployed", "made revision R4", "isn't rolled back", `revision_id set to "R1"`}},
		"the same image": {1, []string{"WARNING: Revision of deployment", "Revision R3 was not deployed", "made revision R4"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := rollingBackFrom(t, 2)
			c.whileIn(api.RevisionDeploying, func(http.ResponseWriter) bool {
				if len(c.revisions) == 2 {
					c.learn()
					c.push(test.tag)
				}
				return false
			})
			o := c.invoke(map[string]any{"to": "previous"})
			want := append(append([]string{rollingBack}, rolledOut("R3", "SKIPPED")...), "revision R3: superseded by revision R4")
			o.expect(append(want, rolledOut("R4", "DEPLOYED")...), test.words...)
			c.sent(1)
		})
	}
}

// TestAccRollBack_lookAfterDeadline believes what the revision is after the limit, whatever the checks before were answered.
func TestAccRollBack_lookAfterDeadline(t *testing.T) {
	t.Parallel()
	c := rollingBackFrom(t, 2)
	c.whileIn(api.RevisionDeploying, func(w http.ResponseWriter) bool {
		c.plane.Clock.Advance(providertest.Rollout)
		w.WriteHeader(http.StatusForbidden)
		return true
	})
	c.invoke(map[string]any{"to": "previous", "timeout": "8s"}).expect(append([]string{rollingBack}, rolledOut("R3", "DEPLOYED")...))
	c.sent(1)
}

// TestAccRedeployRevision_cancel stops waiting when it is told to; the rollout goes on.
func TestAccRedeployRevision_cancel(t *testing.T) {
	t.Parallel()
	c := deployed(t, 1)
	c.plane.Arm(devserver.Fault{Rollout: &devserver.RolloutFault{State: api.RevisionAwaitingDeploy, Stall: true}})()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c.whileIn(api.RevisionAwaitingDeploy, func(http.ResponseWriter) bool {
		cancel()
		return false
	})
	c.invokeIn(ctx, nil).expect(append([]string{newest}, rolledOut("R2")[:2]...), `WARNING: Stopped waiting for deployment "chat"`,
		"The rollout continues.", "Revision: R2 · last status: AWAITING_DEPLOY")
	c.sent(1)
}

// TestAccRedeployRevision_lostReply never sends a redeployment again that may have been processed.
func TestAccRedeployRevision_lostReply(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault devserver.Fault
		odd   []devserver.Fault // What the looks that follow are answered.
		want  []string
		words []string
	}{
		"after the work": {
			fault: devserver.Fault{Drop: true},
			want:  append([]string{newest}, rolledOut("R2", "DEPLOYED")...),
		},
		"after the work, and odd answers": {
			fault: devserver.Fault{Drop: true},
			odd:   []devserver.Fault{{Match: getting, Status: 403, Skip: 2}, {Match: looking, Status: 404, Skip: 1, Times: 2}},
			want:  append([]string{newest}, rolledOut("R2", "DEPLOYED")...),
		},
		"before the work": {
			fault: devserver.Fault{DropBefore: true}, want: []string{newest},
			words: []string{`ERROR: Cannot redeploy deployment "chat"`, "got a new revision is unknown", "before you repeat this"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := deployed(t, 1)
			test.fault.Match = sending
			c.plane.Arm(append(test.odd, test.fault)...)()
			c.invoke(nil).expect(test.want, test.words...)
			c.sent(1)
		})
	}
}

// TestAccRedeployRevision_conflict waits for another change, within the timeout.
func TestAccRedeployRevision_conflict(t *testing.T) {
	t.Parallel()
	c := deployed(t, 1)
	busy := devserver.Fault{Match: sending, Status: 409, Detail: "Another operation is in progress.", Times: 50}
	c.plane.Arm(busy)()
	o := c.invoke(nil)
	c.learn()
	if told := o.told(); len(o.diags) > 0 || told[1] != `deployment "chat": waiting for another change in progress` {
		t.Errorf("want it to wait, got:\n%s", o)
	}
	c.sent(51)

	busy.Times = 10_000
	c.plane.Arm(busy)()
	text := providertest.Told(c.invoke(map[string]any{"timeout": "2m"}).diags)
	for _, want := range []string{`Cannot redeploy deployment "chat"`, "Another operation is in progress.", "Run the action again when it has finished"} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q, got %s", want, text)
		}
	}
}

// TestAccRedeployRevision_refused expects every refusal to say what and why, and what to do.
func TestAccRedeployRevision_refused(t *testing.T) {
	t.Parallel()
	const nobody = "99999999-2222-4333-8444-555555555555"
	for name, test := range map[string]struct {
		fault     devserver.Fault
		arguments map[string]any
		words     []string
	}{
		"no such deployment": {
			arguments: map[string]any{"deployment_id": nobody},
			words:     []string{"Cannot redeploy deployment " + nobody, "not found", "Check deployment_id"},
		},
		"no such revision": {
			arguments: map[string]any{"revision_id": nobody},
			words:     []string{`Cannot redeploy deployment "chat"`, "not found", "Check deployment_id, workspace_id and revision_id"},
		},
		"key":       {fault: devserver.Fault{Match: getting, Status: 401, Detail: "Who?"}, words: []string{"Who?", "api_key"}},
		"rights":    {fault: devserver.Fault{Match: sending, Status: 403, Detail: "Not for you."}, words: []string{"Not for you.", "workspace"}},
		"rule":      {fault: devserver.Fault{Match: sending, Status: 400, Detail: "No: " + secret}, words: []string{"No: ***.", "Fix the problem"}},
		"page":      {fault: devserver.Fault{Match: sending, Status: 404, HTML: "<html>Nothing</html>"}, words: []string{"web page", "in front of the service"}},
		"following": {fault: devserver.Fault{Match: looking, Status: 403, Detail: "Not for you.", Skip: 1, Times: 1000}, words: []string{`Cannot follow the rollout of deployment "chat"`, "Not for you."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := deployed(t, 1)
			if test.fault.Match != "" {
				c.plane.Arm(test.fault)()
			}
			text := c.invoke(test.arguments).String()
			for _, want := range append(test.words, "ERROR: ") {
				if !strings.Contains(text, want) {
					t.Errorf("want %q, got:\n%s", want, text)
				}
			}
		})
	}
}

// TestAccRedeployRevision_deleted refuses a deployment that is going.
func TestAccRedeployRevision_deleted(t *testing.T) {
	t.Parallel()
	c := deployed(t, 1)
	c.plane.Call("DELETE", "/v2/deployments/"+c.id, nil, nil)
	if text := c.invoke(nil).String(); !strings.Contains(text, `deployment "chat" is being deleted.`) {
		t.Errorf("got %s", text)
	}
	c.sent(0)
}

// TestAccRedeployRevision_next triggers the action by a change of something else, as a configuration does.
func TestAccRedeployRevision_next(t *testing.T) {
	t.Parallel()
	c := deployed(t, 2)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: c.plane.Factories(),
		TerraformVersionChecks:   providertest.VersionChecks(t, tfversion.SkipBelow(tfversion.Version1_14_0)),
		Steps: []resource.TestStep{{
			ConfigDirectory: config.StaticDirectory("testdata/action"),
			ConfigVariables: config.Variables{
				"deployment_id": config.StringVariable(c.id), "revision_id": config.StringVariable(c.revisions[0]),
			},
			PostApplyFunc: func() {
				if now := c.now(); now.SourceRevisionConfig.ImageURI != imageURI(1) {
					t.Errorf("the deployment is %+v", now)
				}
				c.sent(1)
			},
		}},
	})
}
