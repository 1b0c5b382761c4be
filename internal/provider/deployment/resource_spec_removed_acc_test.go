package deployment_test

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// fields are fields of a resource_spec, in a configuration or at the service.
type fields map[string]any

// without returns fields without some of them.
func (f fields) without(names ...string) fields {
	fewer := maps.Clone(f)
	for _, name := range names {
		delete(fewer, name)
	}
	return fewer
}

// removing drives a deployment with a resource_spec.
type removing struct {
	*driver
	plane *providertest.Plane
	now   kept
}

// forEachRemoving is forEachInstallation with a driver.
func forEachRemoving(t *testing.T, test func(t *testing.T, r *removing)) {
	t.Helper()
	forEachInstallation(t, func(t *testing.T, plane *providertest.Plane) {
		t.Helper()
		test(t, &removing{driver: drive(t, plane), plane: plane})
	})
}

// newRemoving drives a deployment at a service that fills in defaults, in the first dialect.
func newRemoving(t *testing.T) *removing {
	t.Helper()
	plane := providertest.NewDev(t, echoes["defaults filled in"])
	return &removing{driver: drive(t, plane), plane: plane}
}

// config returns a configuration; nil fields omit resource_spec.
func (r *removing) config(spec fields, more map[string]any) map[string]any {
	config := imageConfig(r.plane, more)
	if spec != nil {
		config["source_config"].(map[string]any)["resource_spec"] = spec
	}
	return config
}

// applies expects a plan to predict whether a revision is made, the apply to be as planned, and the next plan to be empty.
// It returns the warnings of the plan.
func (r *removing) applies(spec fields, more map[string]any, revision bool) []*tfprotov6.Diagnostic {
	r.t.Helper()
	config := r.config(spec, more)
	planned, warnings := r.plan(r.now, config)
	if hasError(warnings) {
		r.t.Fatal(told(warnings))
	}
	var attributes map[string]tftypes.Value
	if err := planned.state.As(&attributes); err != nil {
		r.t.Fatal(err)
	}
	for _, name := range []string{"latest_revision_id", "latest_revision_status", "active_revision_id", "updated_at"} {
		if unknown := !attributes[name].IsKnown(); unknown != revision {
			r.t.Errorf("%s is unknown in the plan: %t, want %t", name, unknown, revision)
		}
	}
	patches, id := len(r.plane.Requests(http.MethodPatch, "/v2/deployments/*")), r.now.text("latest_revision_id")
	now, diags := r.apply(r.t.Context(), r.now, config)
	if hasError(diags) {
		r.t.Fatal(told(diags))
	}
	want := patches
	if revision {
		want++
	}
	if got := len(r.plane.Requests(http.MethodPatch, "/v2/deployments/*")); got != want {
		r.t.Errorf("%d PATCH requests, want %d", got, want)
	}
	if made := now.text("latest_revision_id") != id; made != revision {
		r.t.Errorf("a revision was made: %t, want %t", made, revision)
	}
	r.settled(now, config)
	r.now = r.refreshed(now)
	return warnings
}

// creates makes the deployment.
func (r *removing) creates(spec fields) {
	r.t.Helper()
	r.now = r.refreshed(r.made(kept{}, r.config(spec, nil)))
}

// sent expects the last PATCH to contain this spec.
func (r *removing) sent(want fields) {
	r.t.Helper()
	config, _ := body(r.t, r.plane, http.MethodPatch, "/v2/deployments/*")["source_config"].(map[string]any)
	r.same("spec sent", want, config["resource_spec"])
}

// holds expects the service to have these fields; nil means absent, or null.
func (r *removing) holds(want fields) {
	r.t.Helper()
	var current struct {
		SourceConfig struct {
			ResourceSpec map[string]any `json:"resource_spec"`
		} `json:"source_config"`
	}
	r.plane.Call(http.MethodGet, "/v2/deployments/"+r.now.text("id"), nil, &current)
	has := fields{}
	for name := range want {
		has[name] = current.SourceConfig.ResourceSpec[name]
	}
	r.same("spec at the service", want, has)
}

func (r *removing) same(what string, want, got any) {
	r.t.Helper()
	trees := [2]any{want, got}
	for i := range trees {
		encoded, err := json.Marshal(trees[i])
		if err == nil {
			err = json.Unmarshal(encoded, &trees[i])
		}
		if err != nil {
			r.t.Fatal(err)
		}
	}
	if diff := cmp.Diff(trees[0], trees[1]); diff != "" {
		r.t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// derived returns a default where the service fills it in, else nil.
func (r *removing) derived(value any) any {
	if strings.HasSuffix(r.t.Name(), "defaults_filled_in") {
		return value
	}
	return nil
}

// withoutRecord is the state as versions that recorded no spec stored it.
func (r *removing) withoutRecord() {
	r.t.Helper()
	var keys map[string][]byte
	if err := json.Unmarshal(r.now.private, &keys); err != nil {
		r.t.Fatal(err)
	}
	if keys["resource_spec"] == nil {
		r.t.Error("the private state has no record of resource_spec")
	}
	delete(keys, "resource_spec")
	encoded, err := json.Marshal(keys)
	if err != nil {
		r.t.Fatal(err)
	}
	r.now.private = encoded
}

// warned expects exactly one diagnostic: a warning at resource_spec with all of the parts.
func (r *removing) warned(diags []*tfprotov6.Diagnostic, summary string, parts ...string) {
	r.t.Helper()
	if len(diags) != 1 || diags[0].Severity != tfprotov6.DiagnosticSeverityWarning || diags[0].Summary != summary ||
		!strings.Contains(diags[0].Attribute.String(), "resource_spec") {
		r.t.Fatalf("diagnostics = %s, want only the warning %q", told(diags), summary)
	}
	for _, part := range parts {
		if !strings.Contains(diags[0].Detail, part) {
			r.t.Errorf("the warning doesn't contain %q:\n%s", part, diags[0].Detail)
		}
	}
}

func (r *removing) quiet(diags []*tfprotov6.Diagnostic) {
	r.t.Helper()
	if len(diags) > 0 {
		r.t.Errorf("diagnostics = %s, want none", told(diags))
	}
}

const (
	specKept       = "Fields of resource_spec are kept"
	specReleased   = "resource_spec is no longer managed"
	specUnreported = "resource_spec is not reported"
)

// every has a field of each kind.
func every() fields {
	return fields{
		"cpu": 1, "cpu_limit": 3, "memory_mb": 512, "labels": map[string]string{"a": "1", "b": "2"}, "service_account_name": "agent",
		"sidecars": []any{map[string]any{"name": "proxy", "image": "proxy:1"}, map[string]any{"name": "logs", "image": "logs:1"}},
	}
}

// TestAccResourceSpec_removed removes fields one after another: each disappears from the service, and what others have set
// stays.
func TestAccResourceSpec_removed(t *testing.T) {
	forEachRemoving(t, func(_ *testing.T, r *removing) {
		configured := every()
		r.creates(configured)
		theirs := fields{"max_scale": 3, "annotations": fields{"theirs": "1"}}
		patchedByOther(r.plane, map[string]any{"source_config": map[string]any{"resource_spec": merge(configured, theirs)}})()
		r.now = r.refreshed(r.now)

		configured["labels"] = map[string]string{"a": "1"}
		r.quiet(r.applies(configured, nil, true))
		r.sent(merge(configured, theirs))
		configured["sidecars"] = configured["sidecars"].([]any)[:1]
		r.quiet(r.applies(configured, nil, true))
		r.sent(merge(configured, theirs))
		for _, name := range []string{"labels", "sidecars", "service_account_name"} {
			configured = configured.without(name)
			r.quiet(r.applies(configured, nil, true))
			r.sent(merge(configured, theirs))
			r.holds(merge(theirs, fields{name: nil}))
		}
		// The limit is derived again.
		configured = configured.without("cpu_limit")
		r.quiet(r.applies(configured, nil, true))
		r.sent(merge(configured, theirs))
		r.holds(fields{"cpu": 1, "cpu_limit": r.derived(2)})
		// Defaults go with the field that they are derived from.
		configured = configured.without("cpu")
		r.quiet(r.applies(configured, nil, true))
		r.sent(merge(configured, theirs))
		r.holds(fields{"cpu": nil, "cpu_limit": nil, "queue_cpu": nil, "queue_cpu_limit": nil})
		r.quiet(r.applies(fields{}, nil, true))
		r.sent(theirs)
		r.holds(fields{"memory_mb": nil, "memory_limit_mb": nil, "max_scale": 3})
	})
}

func merge(f, more fields) fields {
	all := maps.Clone(f)
	maps.Copy(all, more)
	return all
}

// TestAccResourceSpec_removedWhole removes resource_spec: the service keeps it, and the plan says so. An empty one afterwards
// removes nothing, because nothing is managed then.
func TestAccResourceSpec_removedWhole(t *testing.T) {
	t.Parallel()
	r := newRemoving(t)
	r.creates(every())
	r.warned(r.applies(nil, nil, false), specReleased, `"tf-acc-driven"`, "cpu, cpu_limit, labels, memory_mb, service_account_name, sidecars",
		"resource_spec = {}")
	r.quiet(r.applies(nil, nil, false))
	r.quiet(r.applies(fields{}, nil, false))
	r.quiet(r.applies(fields{"cpu": 2}, nil, true))
	r.sent(merge(every(), fields{"cpu": 2}))
}

// TestAccResourceSpec_upgraded starts with a state of a version that recorded no spec: its plan is empty, a removed field is
// kept with a warning, and the next spec that is sent makes the record.
func TestAccResourceSpec_upgraded(t *testing.T) {
	t.Parallel()
	r := newRemoving(t)
	configured := every()
	r.creates(configured)
	r.withoutRecord()
	r.settled(r.now, r.config(configured, nil))
	r.now = r.refreshed(r.now)
	configured = configured.without("labels", "cpu_limit")
	r.warned(r.applies(configured, nil, false), specKept, `"tf-acc-driven"`, "cpu_limit, labels")
	r.holds(fields{"cpu_limit": 3, "labels": fields{"a": "1", "b": "2"}})
	r.quiet(r.applies(configured, nil, false))

	configured = configured.without("sidecars")
	configured["memory_mb"] = 1024
	r.warned(r.applies(configured, nil, true), specKept, "sidecars")
	r.sent(merge(every(), fields{"memory_mb": 1024}))
	configured = configured.without("service_account_name")
	r.quiet(r.applies(configured, nil, true))
	r.sent(merge(every(), fields{"memory_mb": 1024}).without("service_account_name"))
}

// TestAccResourceSpec_importedRemoved imports a spec and removes a field that the import adopted: nobody else's setting is
// removed. A field that the resource has sent since is.
func TestAccResourceSpec_importedRemoved(t *testing.T) {
	t.Parallel()
	r := newRemoving(t)
	id := makeDeployment(r.plane, "tf-acc-driven", map[string]any{"resource_spec": fields{"cpu": 1, "labels": fields{"a": "1"}}},
		[]map[string]string{{"name": "LOG_LEVEL", "value": "debug"}})
	r.now = r.refreshed(r.imported(id))
	r.applies(fields{"cpu": 1, "labels": fields{"a": "1"}}, nil, false) // May warn about other settings that it adopts.
	r.warned(r.applies(fields{"cpu": 1}, nil, false), specKept, "labels")
	r.holds(fields{"labels": fields{"a": "1"}})
	r.quiet(r.applies(fields{"cpu": 1, "labels": fields{"a": "2"}}, nil, true))
	r.quiet(r.applies(fields{"cpu": 1}, nil, true))
	r.holds(fields{"cpu": 1, "labels": nil})
}

// TestAccResourceSpec_removedRefused lets the service refuse a change: the record stays as it was before.
func TestAccResourceSpec_removedRefused(t *testing.T) {
	t.Parallel()
	r := newRemoving(t)
	r.creates(fields{"cpu": 1, "labels": fields{"a": "1"}})
	patchedByOther(r.plane, map[string]any{"source_config": map[string]any{"resource_spec": fields{
		"cpu": 1, "labels": fields{"a": "1"}, "annotations": fields{"theirs": "1"},
	}}})()
	refuses := func(spec fields) {
		t.Helper()
		r.plane.Arm(devserver.Fault{Match: "PATCH /v2/deployments/{deployment_id}", Status: http.StatusUnprocessableEntity, Detail: "no"})()
		now, diags := r.apply(t.Context(), r.now, r.config(spec, nil))
		if !hasError(diags) {
			t.Fatal("the apply succeeded, want it refused")
		}
		r.now = r.refreshed(now)
	}
	refuses(fields{"cpu": 1}) // The labels stay ours.
	r.holds(fields{"labels": fields{"a": "1"}})
	refuses(fields{"cpu": 1, "labels": fields{"a": "1"}, "annotations": fields{"ours": "1"}}) // The annotations don't become ours.
	r.quiet(r.applies(fields{"cpu": 1, "labels": fields{"a": "1"}, "annotations": fields{"theirs": "1"}}, nil, false))
	r.warned(r.applies(fields{"cpu": 1, "labels": fields{"a": "1"}}, nil, false), specKept, "annotations")
	r.quiet(r.applies(fields{"cpu": 1}, nil, true))
	r.sent(fields{"cpu": 1, "annotations": fields{"theirs": "1"}})
}

// TestAccResourceSpec_removedUnknown removes fields while the whole configuration is unknown in the plan.
func TestAccResourceSpec_removedUnknown(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	u := &unknowing{plane: plane}
	values := valuesOf(plane, "external_container")
	fewer := with(values, map[string]any{"resource_spec": map[string]any{"cpu": 2}})
	removed := u.step(t, fewer)
	removed.Check = all(expectRevisions(plane, 2), patchOf(plane, `{"cpu": 2}`))
	removed.ConfigPlanChecks.PreApply = updates(true)
	// An unknown resource_spec that turns out null releases it.
	released := u.step(t, with(values, map[string]any{"resource_spec": nil}))
	released.Check = expectRevisions(plane, 2)
	run(t, plane, u.step(t, values), removed, released)
}

// TestAccResourceSpec_unreported changes specs at a service that doesn't return them.
func TestAccResourceSpec_unreported(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	spyOn(t, plane, hidingSpec)
	r := &removing{driver: drive(t, plane), plane: plane}
	r.creates(fields{"cpu": 1, "labels": fields{"a": "1"}})
	r.settled(r.now, r.config(fields{"cpu": 1, "labels": fields{"a": "1"}}, nil))
	r.quiet(r.applies(fields{"cpu": 1, "labels": fields{"a": "1"}}, map[string]any{"environment": map[string]string{"A": "2"}}, true))
	r.warned(r.applies(fields{"cpu": 1}, nil, true), specUnreported, `"tf-acc-driven"`)
	r.sent(fields{"cpu": 1})
	r.warned(r.applies(fields{"cpu": 2}, nil, true), specUnreported)
	r.warned(r.applies(nil, nil, false), specReleased)
}

// hidingSpec removes resource_spec from responses.
func hidingSpec(answer *http.Response) error {
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	var tree any
	if json.Unmarshal(content, &tree) == nil {
		hideSpec(tree)
		if content, err = json.Marshal(tree); err != nil {
			return err
		}
	}
	answer.Body = io.NopCloser(strings.NewReader(string(content)))
	answer.ContentLength = int64(len(content))
	answer.Header.Del("Content-Length")
	return nil
}

func hideSpec(tree any) {
	switch node := tree.(type) {
	case []any:
		for _, element := range node {
			hideSpec(element)
		}
	case map[string]any:
		delete(node, "resource_spec")
		for _, member := range node {
			hideSpec(member)
		}
	}
}
