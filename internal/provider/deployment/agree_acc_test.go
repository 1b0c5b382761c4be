package deployment_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// byOther changes the only deployment as another user would, and returns the newest revision afterwards.
func byOther(plane *providertest.Plane, patch map[string]any) string {
	plane.Call(http.MethodPatch, "/v2/deployments/"+only(plane).ID, patch, nil)
	return *only(plane).LatestRevisionID
}

// expectTold checks whether diagnostics include an error, and their texts.
func expectTold(t *testing.T, diags []*tfprotov6.Diagnostic, isError bool, wants ...string) {
	t.Helper()
	if hasError(diags) != isError || len(diags) == 0 != (len(wants) == 0) {
		t.Errorf("diagnostics = %s, want an error: %t, texts: %q", told(diags), isError, wants)
	}
	for _, want := range wants {
		if !strings.Contains(told(diags), want) {
			t.Errorf("diagnostics = %s, want %q", told(diags), want)
		}
	}
}

// TestAccAgree_rolledBack rolls an update back while the provider waits for it: the revision that runs is not that of the apply.
func TestAccAgree_rolledBack(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	g := gateTo(t, plane)
	d := drive(t, plane)
	before := d.refreshed(d.made(kept{}, imageConfig(plane, nil)))
	var own, theirs string
	g.after(3, polling, 1, meanwhile(func() {
		own = *only(plane).LatestRevisionID
		theirs = byOther(plane, map[string]any{"source_revision_config": image("1.0.0")})
	}))
	config := imageConfig(plane, map[string]any{"source_revision_config": image("2.0.0")})
	now, diags := d.apply(t.Context(), before, config)
	expectTold(t, diags, true, own, theirs, "source_revision_config.image_uri")
	if now.text("source_revision_config", "image_uri") != *only(plane).SourceRevisionConfig.ImageURI || now.text("latest_revision_id") != theirs ||
		now.text("active_revision_id") != theirs || now.text("latest_revision_status") != "DEPLOYED" || !now.state.IsFullyKnown() {
		t.Errorf("state = %s, want what the service has", now.state)
	}
	d.settled(d.made(d.refreshed(now), config), config) // The next apply makes the change again.
}

// TestAccAgree_created changes a deployment while the provider waits for its creation. An error would taint it.
func TestAccAgree_created(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	g := gateTo(t, plane)
	d := drive(t, plane)
	var own, theirs string
	g.after(3, polling, 1, meanwhile(func() {
		own = *only(plane).LatestRevisionID
		theirs = byOther(plane, map[string]any{"source_revision_config": image("2.0.0")})
	}))
	config := imageConfig(plane, nil)
	now, diags := d.apply(t.Context(), kept{}, config)
	expectTold(t, diags, false, own, theirs, "differs from the configuration in source_revision_config.image_uri")
	if now.text("latest_revision_id") != theirs || now.text("latest_revision_status") != "DEPLOYED" {
		t.Errorf("state = %s, want revision %s", now.state, theirs)
	}
	d.settled(d.made(d.refreshed(now), config), config)
}

// changes are what another user and an apply may change, with what the next plan shows if only the other user's remains.
var changes = map[string]struct {
	theirs    map[string]any
	ours      map[string]any
	attribute string
}{
	"image": {
		map[string]any{"source_revision_config": image("3.0.0")}, map[string]any{"source_revision_config": image("2.0.0")},
		"source_revision_config.image_uri",
	},
	"environment": {
		map[string]any{"secrets": []map[string]string{{"name": "LOG_LEVEL", "value": "trace"}}},
		map[string]any{"environment": map[string]string{"LOG_LEVEL": "info"}},
		`environment["LOG_LEVEL"]`,
	},
	"custom_url": {
		map[string]any{"source_config": map[string]any{"custom_url": "https://theirs.example.com"}},
		map[string]any{"custom_url": "https://ours.example.com"},
		"source_config.custom_url",
	},
}

// agreeConfig is a configuration of everything in changes.
func agreeConfig(plane *providertest.Plane, more map[string]any) map[string]any {
	config := imageConfig(plane, nil)
	source := maps.Clone(config["source_config"].(map[string]any))
	source["custom_url"] = "https://chat.example.com"
	config["source_config"] = source
	for name, value := range more {
		if name == "custom_url" {
			source[name] = value
			continue
		}
		config[name] = value
	}
	return config
}

// TestAccAgree_stalePlan has another user change a deployment after the refresh of a plan. The apply succeeds with a warning that names the
// revision and what was overwritten, or what the next plan shows.
func TestAccAgree_stalePlan(t *testing.T) {
	t.Parallel()
	for first, theirs := range changes {
		for second, ours := range changes {
			t.Run(first+", then "+second, func(t *testing.T) {
				t.Parallel()
				plane := providertest.NewDev(t)
				g := gateTo(t, plane)
				d := drive(t, plane)
				before := d.refreshed(d.made(kept{}, agreeConfig(plane, nil)))
				var revision string
				g.when(reading, 1, meanwhile(func() {
					revision = byOther(plane, theirs.theirs)
					plane.Clock.Advance(providertest.Rollout)
				}))
				config := agreeConfig(plane, ours.ours)
				now, diags := d.apply(t.Context(), before, config)
				wants := []string{"differs from the configuration in " + theirs.attribute}
				if first == second {
					wants = []string{"has overwritten its value of " + ours.attribute}
				}
				if first != "custom_url" {
					wants = append(wants, revision)
				}
				expectTold(t, diags, false, wants...)
				if now = d.refreshed(now); first == second {
					d.settled(now, config)
					return
				}
				d.settled(d.made(now, config), config)
			})
		}
	}
}

// TestAccAgree_lostReply loses the reply to an update right before which another user has made a revision: the update is proved, but either
// revision may be its own.
func TestAccAgree_lostReply(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	g := gateTo(t, plane)
	d := drive(t, plane)
	before := d.refreshed(d.made(kept{}, imageConfig(plane, nil)))
	var theirs string
	g.when(changing, 1, meanwhileLost(func() {
		theirs = byOther(plane, map[string]any{"source_revision_config": image("3.0.0")})
		plane.Clock.Advance(providertest.Rollout)
	}))
	config := imageConfig(plane, map[string]any{"environment": map[string]string{"LOG_LEVEL": "info"}})
	now, diags := d.apply(t.Context(), before, config)
	expectTold(t, diags, false, theirs, *only(plane).LatestRevisionID, "one of them by this update", "source_revision_config.image_uri")
	d.settled(d.made(d.refreshed(now), config), config)
}

// TestAccAgree_blind loses the answers to all status checks of a creation before its limit. The check after the limit decides: only a
// rollout that it shows in progress taints the deployment.
func TestAccAgree_blind(t *testing.T) {
	t.Parallel()
	const limit = providertest.Rollout + time.Minute
	busy := answered(http.StatusServiceUnavailable, `{"detail": "Busy."}`, "Retry-After", "60")
	for name, test := range map[string]struct {
		stalls bool
		answer action
		sees   bool // The check after the limit is answered.
		want   string
	}{
		"deployed":            {false, busy, true, ""},
		"in progress":         {true, busy, true, "was not rolled out in time"},
		"never seen":          {false, busy, false, "can't be read"},
		"429":                 {false, answered(http.StatusTooManyRequests, `{"detail": "Later."}`, "Retry-After", "60"), false, "can't be read"},
		"no answer":           {false, cut, false, "can't be read"},
		"a page":              {false, answered(http.StatusOK, page), false, "can't be read"},
		"in progress, unseen": {true, busy, false, "can't be read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			g := gateTo(t, plane)
			d := drive(t, plane)
			if test.stalls {
				fault := rolloutFault("DEPLOYING", "")
				fault.Rollout.Stall = true
				plane.Arm(fault)()
			}
			start := plane.Clock.Now()
			g.after(2, polling, -1, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
				if test.sees && plane.Clock.Now().Sub(start) >= limit {
					pass.ServeHTTP(w, r)
					return
				}
				test.answer(w, r, pass)
			})
			config := imageConfig(plane, map[string]any{"timeouts": map[string]string{"create": limit.String()}})
			now, diags := d.apply(t.Context(), kept{}, config)
			if test.want == "" {
				expectTold(t, diags, false)
				d.settled(now, config)
				return
			}
			expectTold(t, diags, test.stalls && test.sees, test.want)
			if now.state.IsNull() || (now.text("latest_revision_status") != "") != test.sees {
				t.Errorf("state = %s, want a status: %t", now.state, test.sees)
			}
			g.forget()
			if !test.stalls {
				d.settled(d.refreshed(now), config)
			}
		})
	}
}
