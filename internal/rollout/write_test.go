package rollout

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/poll"
)

const (
	patching  = "PATCH /v2/deployments/{deployment_id}"
	reading   = "GET /v2/deployments/{deployment_id}"
	revisions = "GET /v2/deployments/{deployment_id}/revisions"
)

// changing is a deployment of the dev server, and a change of it.
type changing struct {
	Write
	t       *testing.T
	server  *devservertest.Servers
	clock   clock
	created *api.Deployment
	// meanwhile is called with the number of the request before a PATCH is processed, and processed afterwards. They may be nil.
	meanwhile, processed func(w http.ResponseWriter, patches int)
	patches              int
}

// image returns a change of the image, which can be seen.
func image(tag string) api.DeploymentPatchRequest {
	return api.DeploymentPatchRequest{SourceRevisionConfig: api.Some(api.SourceRevisionConfigRequest{ImageURI: api.Some("registry.example.com/chat:" + tag)})}
}

// command returns a change that makes no revision.
func command(text string) api.DeploymentPatchRequest {
	return api.DeploymentPatchRequest{SourceConfig: api.Some(api.SourceConfigRequest{CustomURL: api.Some(text)})}
}

// newChanging returns a change that sends patch. One that sends the image of before can't be seen.
func newChanging(t *testing.T, patch api.DeploymentPatchRequest, configure ...func(*devserver.Config)) *changing {
	t.Helper()
	c := &changing{t: t, clock: clock{devserver.NewManualClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))}}
	cfg := devserver.Config{Clock: c.clock, Rollout: time.Minute}
	for _, change := range configure {
		change(&cfg)
	}
	server, err := devservertest.NewServers(t, devservertest.Stored(t, cfg))
	if err != nil {
		t.Fatal(err)
	}
	c.server = server
	listening := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPatch || r.Header.Get("User-Agent") == "other" {
			server.ServeHTTP(w, r)
			return
		}
		c.patches++
		if c.meanwhile != nil {
			c.meanwhile(w, c.patches)
		}
		if c.processed == nil {
			server.ServeHTTP(w, r)
			return
		}
		server.ServeHTTP(httptest.NewRecorder(), r)
		c.processed(w, c.patches)
	}))
	t.Cleanup(func() {
		listening.Close()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	c.Write = Write{Client: c.client(listening.URL, ""), Policy: poll.Policy{Clock: c.clock, Jitter: -1}, Method: http.MethodPatch}
	c.created, _, err = c.Client.CreateDeployment(t.Context(), api.DeploymentCreateRequest{
		Name: "chat", Source: api.SourceExternalContainer, SourceRevisionConfig: api.SourceRevisionConfigRequest{ImageURI: api.Some("registry.example.com/chat:1")},
	})
	if err != nil {
		t.Fatal(err)
	}
	c.DeploymentID = c.created.ID
	c.clock.Advance(2 * time.Minute)
	c.Revision = patch.SourceRevisionConfig.Present
	c.Send = func(ctx context.Context, _ api.Deployment) (*api.Deployment, error) {
		return c.Client.PatchDeployment(ctx, c.DeploymentID, patch)
	}
	c.Differs = func(d api.Deployment) bool { return client.Differs(patch, d) }
	return c
}

func (c *changing) client(url, agent string) *client.Client {
	c.t.Helper()
	made, err := client.New(client.Config{BaseURL: url, Sleep: c.clock.Sleep, Now: c.clock.Now, UserAgent: agent})
	if err != nil {
		c.t.Fatal(err)
	}
	return made
}

// other lets another user send a change.
func (c *changing) other(patch api.DeploymentPatchRequest) string {
	c.t.Helper()
	listening := httptest.NewServer(c.server)
	defer listening.Close()
	patched, err := c.client(listening.URL, "other").PatchDeployment(c.t.Context(), c.DeploymentID, patch)
	if err != nil {
		c.t.Fatal(err)
	}
	return *patched.LatestRevisionID
}

func (c *changing) arm(faults ...devserver.Fault) {
	c.t.Helper()
	for _, fault := range faults {
		if err := c.server.Arm(fault); err != nil {
			c.t.Fatal(err)
		}
	}
}

// answer responds with a status and a body, whatever the service did.
func answer(status int, body string) func(http.ResponseWriter, int) {
	return func(w http.ResponseWriter, _ int) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body)) // The client reads all of it.
	}
}

// oddAnswers are what proxies and older services answer instead of the deployment.
var oddAnswers = map[string]string{"nothing": "", "null": "null", "an object": "{}", "a list": "[]", "ok": `{"status":"ok"}`, "half": `{"id": "`}

func TestWrite_processed(t *testing.T) {
	t.Parallel()
	for name, patch := range map[string]api.DeploymentPatchRequest{"seen": image("2"), "not seen": image("1"), "no revision": command("https://a.example")} {
		tests := map[string]func(*changing){
			"at once":    func(*changing) {},
			"stale":      func(c *changing) { c.arm(devserver.Fault{Match: patching, Stale: true}) },
			"lost":       func(c *changing) { c.arm(devserver.Fault{Match: patching, Drop: true}) },
			"an outage":  func(c *changing) { c.arm(devserver.Fault{Match: reading, Skip: 1, Status: 502, Times: 50}) },
			"redirected": func(c *changing) { c.processed = answer(http.StatusFound, "") },
			"forbidden":  func(c *changing) { c.processed = answer(http.StatusForbidden, "") },
			"shown later": func(c *changing) {
				c.arm(devserver.Fault{Match: reading, Skip: 1, Status: 404, Detail: "Not found.", Times: 20})
			},
			"conflicts": func(c *changing) {
				c.arm(devserver.Fault{Match: patching, Status: 409, Detail: "In progress.", Times: 3})
			},
		}
		for answered, body := range oddAnswers {
			tests["answered "+answered] = func(c *changing) { c.processed = answer(http.StatusOK, body) }
		}
		for how, arm := range tests {
			t.Run(name+", "+how, func(t *testing.T) {
				t.Parallel()
				c := newChanging(t, patch)
				arm(c)
				proof, err := c.Do(t.Context(), time.Hour)
				if name == "not seen" && slices.Contains([]string{"lost", "redirected", "forbidden"}, how) { // It may be another user's revision.
					if err == nil || c.patches != 1 {
						t.Errorf("proof = %+v after %d PATCHes, want none after one", proof, c.patches)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if c.Differs(proof.Deployment) || (proof.Revision.ID != "") != c.Revision || c.Revision && proof.Revision.ID == *c.created.LatestRevisionID {
					t.Errorf("proof = %+v, want the change, and a new revision only if it makes one", proof)
				}
				if want := map[bool]int{true: 4, false: 1}[how == "conflicts"]; c.patches != want {
					t.Errorf("%d PATCHes, want %d", c.patches, want)
				}
			})
		}
	}
}

// TestWrite_notProcessed expects that nothing counts as done without having been done, whatever the answer is. What makes a revision is
// sent once, anything else twice.
func TestWrite_notProcessed(t *testing.T) {
	t.Parallel()
	for name, patch := range map[string]api.DeploymentPatchRequest{"seen": image("2"), "not seen": image("1"), "no revision": command("https://a.example")} {
		tests := map[string]func(*changing){
			"swallowed": func(c *changing) { c.arm(devserver.Fault{Match: patching, Swallow: true, Times: 9}) },
			"lost":      func(c *changing) { c.arm(devserver.Fault{Match: patching, DropBefore: true, Times: 9}) },
			"a gateway": func(c *changing) { c.arm(devserver.Fault{Match: patching, Status: 504, Times: 9}) },
		}
		for answered, body := range oddAnswers {
			tests["answered "+answered] = func(c *changing) { c.arm(devserver.Fault{Match: patching, Swallow: true, Body: &body, Times: 9}) }
		}
		for how, arm := range tests {
			t.Run(name+", "+how, func(t *testing.T) {
				t.Parallel()
				c := newChanging(t, patch)
				arm(c)
				_, err := c.Do(t.Context(), time.Hour)
				if !client.IsAmbiguous(err) || !strings.Contains(err.Error(), "may still appear") {
					t.Errorf("error = %v, want an ambiguous one", err)
				}
				if want := map[bool]int{true: 1, false: 2}[c.Revision]; c.patches != want {
					t.Errorf("%d PATCHes, want %d", c.patches, want)
				}
			})
		}
	}
}

// TestWrite_refused returns refusals as they are. One that may not come from the service is checked first.
func TestWrite_refused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status int64
		detail string
		page   string
		doubt  bool
	}{
		"by the service": {400, "No.", "", false}, "by a rule": {422, "No.", "", false}, "by a permission": {403, "No.", "", false},
		"by something else": {403, "", "<h1>No</h1>", true}, "by a proxy": {302, "", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newChanging(t, image("2"))
			c.arm(devserver.Fault{Match: patching, Status: test.status, Detail: test.detail, HTML: test.page, Times: 9})
			began := c.clock.Now()
			_, err := c.Do(t.Context(), time.Hour)
			if client.StatusOf(err) != int(test.status) || client.IsAmbiguous(err) || c.patches != 1 {
				t.Errorf("error = %v after %d PATCHes, want %d after one", err, c.patches, test.status)
			}
			if waited := c.clock.Now().Sub(began); (waited > 0) != test.doubt || waited > 2*doubtTime {
				t.Errorf("waited %s, want about %s: %t", waited, doubtTime, test.doubt)
			}
		})
	}
	t.Run("another change in progress", func(t *testing.T) {
		t.Parallel()
		c := newChanging(t, image("2"))
		c.arm(devserver.Fault{Match: patching, Status: 409, Detail: "In progress.", Times: 9})
		conflicts := 0
		c.AtOnce, c.Conflict = true, func() { conflicts++ }
		if _, err := c.Do(t.Context(), time.Hour); !client.IsConflict(err) || c.patches != 1 || conflicts != 1 {
			t.Errorf("error = %v after %d PATCHes, want a conflict after one", err, c.patches)
		}
	})
}

// TestWrite_foreign lets another user change the deployment right before the change, or instead of it.
func TestWrite_foreign(t *testing.T) {
	t.Parallel()
	const processed, lost, swallowed = "processed", "lost", "swallowed"
	for name, test := range map[string]struct {
		ours   api.DeploymentPatchRequest
		theirs []api.DeploymentPatchRequest
		how    string
		proved bool
	}{
		"seen":                                  {image("2"), []api.DeploymentPatchRequest{image("3")}, processed, true},
		"not seen, named by the answer":         {image("1"), []api.DeploymentPatchRequest{image("1")}, processed, true},
		"seen, lost":                            {image("2"), []api.DeploymentPatchRequest{image("3")}, lost, false},
		"not seen, lost, another change":        {image("1"), []api.DeploymentPatchRequest{image("3"), image("1")}, lost, false},
		"not seen, lost, the same revision":     {image("1"), []api.DeploymentPatchRequest{image("1")}, lost, false},
		"not seen, swallowed, another setting":  {image("1"), []api.DeploymentPatchRequest{withLimit()}, swallowed, false},
		"seen, swallowed, another image":        {image("2"), []api.DeploymentPatchRequest{image("3")}, swallowed, false},
		"no revision, lost, another's revision": {command("https://a.example"), []api.DeploymentPatchRequest{image("3")}, lost, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newChanging(t, test.ours)
			var theirs []string
			c.meanwhile = func(http.ResponseWriter, int) {
				for _, patch := range test.theirs {
					if len(theirs) < len(test.theirs) {
						theirs = append(theirs, c.other(patch))
					}
				}
			}
			switch test.how {
			case lost:
				c.arm(devserver.Fault{Match: patching, Skip: int64(len(test.theirs)), DropBefore: true, Times: 9})
			case swallowed:
				c.arm(devserver.Fault{Match: patching, Skip: int64(len(test.theirs)), Swallow: true, Body: new(string), Times: 9})
			}
			proof, err := c.Do(t.Context(), time.Hour)
			if (err == nil) != test.proved {
				t.Fatalf("proof = %+v, %v; want one: %t", proof, err, test.proved)
			}
			if err != nil {
				return
			}
			var foreign []string
			for _, revision := range slices.Backward(proof.Foreign) {
				foreign = append(foreign, revision.ID)
			}
			if diff := cmp.Diff(theirs, foreign); diff != "" || slices.Contains(theirs, proof.Revision.ID) {
				t.Errorf("foreign revisions (-want +got):\n%s", diff)
			}
		})
	}
}

// TestWrite_removed removes something that no longer being there is the only sign of, and loses the response.
func TestWrite_removed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault  devserver.Fault
		other  bool
		proved bool
	}{
		"processed":             {devserver.Fault{Match: patching, Drop: true}, false, true},
		"not processed":         {devserver.Fault{Match: patching, DropBefore: true}, false, false},
		"not processed, others": {devserver.Fault{Match: patching, DropBefore: true, Skip: 1}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newChanging(t, image("2"))
			c.Differs = func(api.Deployment) bool { return false }
			c.Removed = func(before, now api.Deployment) bool {
				return *before.SourceRevisionConfig.ImageURI != *now.SourceRevisionConfig.ImageURI
			}
			if test.other {
				c.meanwhile = func(http.ResponseWriter, int) { c.other(image("1")) }
			}
			c.arm(test.fault)
			if proof, err := c.Do(t.Context(), time.Hour); (err == nil) != test.proved || c.patches != 1 {
				t.Errorf("proof = %+v, %v after %d PATCHes; want one: %t", proof, err, c.patches, test.proved)
			}
		})
	}
}

func withLimit() api.DeploymentPatchRequest {
	cpu := api.CPU(3)
	return api.DeploymentPatchRequest{SourceConfig: api.Some(api.SourceConfigRequest{ResourceSpec: api.Some(api.ResourceSpec{CPU: &cpu})})}
}

// TestWrite_lag reads from a service whose reads lag behind its writes.
func TestWrite_lag(t *testing.T) {
	t.Parallel()
	for name, patch := range map[string]api.DeploymentPatchRequest{"seen": image("2"), "not seen": image("1"), "no revision": command("https://a.example")} {
		for _, fault := range []devserver.Fault{{Match: patching, LatencyMS: 1}, {Match: patching, Drop: true}, {Match: patching, Stale: true}} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				c := newChanging(t, patch, func(cfg *devserver.Config) { cfg.Lag = 20 * time.Second })
				c.arm(fault)
				proof, err := c.Do(t.Context(), time.Hour)
				if name == "not seen" && fault.Drop { // It may be another user's revision.
					if err == nil || c.patches != 1 {
						t.Errorf("proof = %+v after %d PATCHes, want none after one", proof, c.patches)
					}
					return
				}
				if err != nil || c.Differs(proof.Deployment) || c.patches != 1 {
					t.Errorf("proof = %+v, %v after %d PATCHes; want one after one", proof, err, c.patches)
				}
			})
		}
	}
	// A revision that the read before the write didn't show yet is not the write's.
	t.Run("an earlier revision appears", func(t *testing.T) {
		t.Parallel()
		c := newChanging(t, image("1"), func(cfg *devserver.Config) { cfg.Lag = 20 * time.Second })
		c.other(image("1"))
		c.clock.Advance(10 * time.Second)
		c.arm(devserver.Fault{Match: patching, DropBefore: true})
		if proof, err := c.Do(t.Context(), time.Hour); err == nil {
			t.Errorf("proof = %+v, want none", proof)
		}
	})
}
