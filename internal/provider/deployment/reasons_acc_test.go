package deployment_test

import (
	"context"
	"maps"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// reasons are the attribute revision_reasons; nil if it is null.
type reasons struct {
	Previous string
	Changes  []string
}

func (d *driver) reasons(of kept) (_ *reasons, unknown bool) {
	d.t.Helper()
	value := d.attribute(of, "revision_reasons")
	if value.IsNull() || !value.IsKnown() {
		return nil, !value.IsKnown()
	}
	var members map[string]tftypes.Value
	var changes []tftypes.Value
	if err := value.As(&members); err != nil {
		d.t.Fatal(err)
	}
	if err := members["changes"].As(&changes); err != nil {
		d.t.Fatal(err)
	}
	r := &reasons{Previous: of.text("revision_reasons", "previous_revision_id")}
	for _, change := range changes {
		var text string
		if err := change.As(&text); err != nil {
			d.t.Fatal(err)
		}
		r.Changes = append(r.Changes, text)
	}
	return r, false
}

func (d *driver) attribute(of kept, name string) tftypes.Value {
	d.t.Helper()
	var members map[string]tftypes.Value
	if err := of.state.As(&members); err != nil {
		d.t.Fatal(err)
	}
	return members[name]
}

// expectReasons checks what a plan or a state has.
func (d *driver) expectReasons(what string, of kept, want *reasons) {
	d.t.Helper()
	got, unknown := d.reasons(of)
	if unknown {
		d.t.Fatalf("%s: revision_reasons are unknown, want %v", what, want)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		d.t.Fatalf("%s: revision_reasons (-want +got):\n%s", what, diff)
	}
}

// reasoned plans and applies a change, and expects that its reasons are planned, stored, and kept by a refresh.
func (d *driver) reasoned(what string, now kept, config map[string]any, changes ...string) kept {
	d.t.Helper()
	want, _ := d.reasons(now)
	if changes != nil {
		want = &reasons{Previous: now.text("latest_revision_id"), Changes: changes}
	}
	planned, diags := d.plan(now, config)
	if hasError(diags) {
		d.t.Fatalf("%s: %s", what, told(diags))
	}
	d.expectReasons("the plan of "+what, planned, want)
	if makes := !d.attribute(planned, "latest_revision_id").IsKnown(); makes != (changes != nil) {
		d.t.Fatalf("%s: the plan makes a revision: %t, want one only with a reason", what, makes)
	}
	after, diags := d.apply(d.t.Context(), now, config)
	if hasError(diags) {
		d.t.Fatalf("%s: %s", what, told(diags))
	}
	d.expectReasons("the apply of "+what, after, want)
	d.settled(after, config)
	after = d.refreshed(after)
	d.expectReasons("the refresh after "+what, after, want)
	return after
}

// specConfig returns source_config of imageConfig with a resource_spec.
func specConfig(plane *providertest.Plane, more map[string]any) map[string]any {
	sourceConfig := map[string]any{
		"listener_id": plane.ListenerID, "listener_config": map[string]any{"k8s_namespace": plane.K8sNamespace},
	}
	maps.Copy(sourceConfig, more)
	return sourceConfig
}

// TestAccReasons changes one deployment in every way.
func TestAccReasons(t *testing.T) {
	forEachDialect(t, func(t *testing.T, plane *providertest.Plane, dialect *api.Dialect) {
		d := drive(t, plane)
		labels := func(team string) map[string]any {
			return specConfig(plane, map[string]any{"resource_spec": map[string]any{"labels": map[string]any{"team": team}}})
		}
		config := imageConfig(plane, map[string]any{
			"source_config": labels("chat"), "secrets_wo": map[string]string{"API_KEY": "one"}, "triggers": map[string]string{"config": "1"},
		})
		set := func(name string, value any) map[string]any {
			config[name] = value
			return config
		}
		planned, _ := d.plan(kept{}, config)
		d.expectReasons("the plan of the creation", planned, &reasons{Changes: []string{"created"}})
		now := d.refreshed(d.made(kept{}, config))
		d.expectReasons("the creation", now, &reasons{Changes: []string{"created"}})

		now = d.reasoned("an image", now, set("source_revision_config", image("1.1.0")), "source_revision_config.image_uri")
		now = d.reasoned("a rotation", now, set("secrets_wo", map[string]string{"API_KEY": "two"}), `secrets_wo["API_KEY"]`)
		first, _ := d.reasons(now)
		now = d.reasoned("the same rotation again", now, set("secrets_wo", map[string]string{"API_KEY": "three"}), `secrets_wo["API_KEY"]`)
		if second, _ := d.reasons(now); cmp.Equal(first, second) {
			t.Errorf("the reasons of two rotations are both %v, want them to differ", first)
		}
		now = d.reasoned("what is not sent", now, set("wait_for_deployed", true))
		now = d.reasoned("a setting without a revision", now, set("source_config", specConfig(plane, map[string]any{
			"custom_url": "https://chat.example.com", "resource_spec": map[string]any{"labels": map[string]any{"team": "chat"}},
		})))
		now = d.reasoned("triggers", now, set("triggers", map[string]string{"config": "2"}), `triggers["config"]`)
		now = d.reasoned("labels", now, set("source_config", labels("other")), "source_config.resource_spec.labels")
		now = d.reasoned("a variable", now, set("environment", map[string]string{"NEW": "1"}), `environment["LOG_LEVEL"]`, `environment["NEW"]`)
		now = d.reasoned("the first version", now, set("secrets_wo_version", 1))
		config["secrets_wo"] = map[string]string{"API_KEY": "four"}
		now = d.reasoned("a version", now, set("secrets_wo_version", 2), "secrets_wo_version")
		config["source_revision_config"] = image("1.2.0")
		now = d.reasoned("several", now, set("triggers", map[string]string{"config": "3"}), "source_revision_config.image_uri", `triggers["config"]`)

		renamed := maps.Clone(config)
		renamed["name"] = "tf-acc-renamed"
		replaced, _ := d.plan(now, renamed)
		renewed, diags := d.plan(kept{private: replaced.private}, renamed) // The second plan of a replacement has no state.
		if hasError(diags) {
			t.Fatal(told(diags))
		}
		d.expectReasons("a replacement", renewed, &reasons{Changes: []string{"created"}})
		if dialect.LangSmithAPI {
			now = d.reasoned("a display name", now, set("display_name", "Chat"))
			config["secret_references"] = map[string]any{}
			now = d.made(now, config)
			d.reasoned("a reference", now, set("secret_references", map[string]any{"R": map[string]any{"secret_name": "s", "secret_key": "k"}}),
				`secret_references["R"]`)
		}
	})
}

// TestAccReasons_lookedUp starts to manage a field that another user may set until the apply: a plan can't promise the reasons.
func TestAccReasons_lookedUp(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	d := drive(t, plane)
	now := d.refreshed(d.made(kept{}, imageConfig(plane, nil)))
	config := imageConfig(plane, map[string]any{"source_config": specConfig(plane, map[string]any{"resource_spec": map[string]any{"cpu": 2}})})
	planned, diags := d.plan(now, config)
	if _, unknown := d.reasons(planned); !unknown || hasError(diags) {
		t.Errorf("planned = %s, want unknown revision_reasons: %s", planned.state, told(diags))
	}
	want := &reasons{Previous: now.text("latest_revision_id"), Changes: []string{"source_config.resource_spec.cpu"}}
	changed := d.made(now, config)
	d.expectReasons("the apply", changed, want)
	d.settled(changed, config)

	// Another user sets the next field between the plan and the apply: what then is no reason isn't stored.
	config["source_config"] = specConfig(plane, map[string]any{"resource_spec": map[string]any{"cpu": 2, "memory_mb": 2048}})
	changed = d.refreshed(changed)
	planned, _ = d.plan(changed, config)
	plane.Call(http.MethodPatch, "/v2/deployments/"+now.text("id"),
		map[string]any{"source_config": map[string]any{"resource_spec": map[string]any{"cpu": 2, "memory_mb": 2048}}}, nil)
	after, diags := d.applied(t.Context(), changed, planned, config)
	if hasError(diags) {
		t.Fatal(told(diags))
	}
	d.expectReasons("the apply of what another user did", after, want)
}

// applied applies a plan.
func (d *driver) applied(ctx context.Context, prior, planned kept, config map[string]any) (kept, []*tfprotov6.Diagnostic) {
	d.t.Helper()
	applied, err := d.server.ApplyResourceChange(ctx, &tfprotov6.ApplyResourceChangeRequest{
		TypeName: driven, PriorState: d.encoded(prior.state), PlannedState: d.encoded(planned.state),
		Config: d.encoded(d.decoded(d.document(config))), PlannedPrivate: planned.private, PlannedIdentity: planned.identity,
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return kept{d.decoded(applied.NewState), applied.Private, applied.NewIdentity}, applied.Diagnostics
}

// TestAccReasons_failed refuses a revision, then fails one, and interrupts the wait for another.
func TestAccReasons_failed(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t, unlagged)
	g := gateTo(t, plane)
	d := drive(t, plane)
	config := imageConfig(plane, nil)
	now := d.refreshed(d.made(kept{}, config))

	config["source_revision_config"] = image("1.1.0")
	plane.Arm(devserver.Fault{Match: "PATCH /v2/deployments/{deployment_id}", Status: http.StatusUnprocessableEntity, Detail: "No.", Times: 1})()
	refused, diags := d.apply(t.Context(), now, config)
	if !hasError(diags) {
		t.Fatal("the update was accepted, want it refused")
	}
	d.expectReasons("what the service refused", refused, &reasons{Changes: []string{"created"}})

	plane.Arm(rolloutFault(api.RevisionDeploying, "out of quota"))()
	failed, diags := d.apply(t.Context(), refused, config)
	if !hasError(diags) {
		t.Fatal("the rollout succeeded, want it to fail")
	}
	d.expectReasons("a rollout that failed", failed, &reasons{Previous: now.text("latest_revision_id"), Changes: []string{"source_revision_config.image_uri"}})
	now = d.reasoned("the repair", d.refreshed(failed), config, "failed rollout")

	config["source_revision_config"] = image("1.2.0")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	g.after(1, polling, 1, meanwhile(cancel))
	interrupted, _ := d.apply(ctx, now, config)
	want := &reasons{Previous: now.text("latest_revision_id"), Changes: []string{"source_revision_config.image_uri"}}
	d.expectReasons("an interrupted wait", interrupted, want)
	d.expectReasons("a wait", d.reasoned("the wait for it", d.refreshed(interrupted), config), want)
}

// TestAccReasons_fallenAway applies the plan of a rotation with the value that the service already has: nothing is sent, and the known
// reasons are stored all the same, because Terraform accepts no others.
func TestAccReasons_fallenAway(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	g := gateTo(t, plane)
	d := drive(t, plane)
	holding := func(key string) map[string]any {
		return imageConfig(plane, map[string]any{"secrets_wo": map[string]string{"API_KEY": key}})
	}
	now := d.refreshed(d.made(kept{}, holding("one")))
	planned, _ := d.plan(now, holding("two"))
	after, diags := d.applied(t.Context(), now, planned, holding("one"))
	if hasError(diags) || g.count(changing) > 0 || after.text("latest_revision_id") != now.text("latest_revision_id") {
		t.Errorf("state = %s after %d changes, want no revision: %s", after.state, g.count(changing), told(diags))
	}
	d.expectReasons("the apply", after, &reasons{Previous: now.text("latest_revision_id"), Changes: []string{`secrets_wo["API_KEY"]`}})
}

// TestAccReasons_none expects that a deployment without reasons, as after an import, gets them only with a revision.
func TestAccReasons_none(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	d := drive(t, plane)
	config := imageConfig(plane, nil)
	now := d.made(kept{}, config)
	now = d.made(d.refreshed(d.imported(now.text("id"))), config) // The environment becomes managed, and nothing is sent.
	d.expectReasons("an import", now, nil)
	now = d.reasoned("a setting without a revision", now, imageConfig(plane, map[string]any{
		"source_config": specConfig(plane, map[string]any{"custom_url": "https://chat.example.com"}),
	}))
	config["source_revision_config"] = image("1.1.0")
	d.reasoned("the first revision", now, config, "source_revision_config.image_uri")
}
