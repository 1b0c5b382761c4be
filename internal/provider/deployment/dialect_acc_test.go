package deployment_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/config"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// speaking starts a dev server with a dialect.
func speaking(t *testing.T, dialect *api.Dialect) *providertest.Plane {
	t.Helper()
	return providertest.NewDev(t, func(cfg *devserver.Config) { cfg.Dialect = dialect })
}

// forEachDialect runs a test against a dev server of each dialect.
func forEachDialect(t *testing.T, test func(t *testing.T, plane *providertest.Plane, dialect *api.Dialect)) {
	t.Helper()
	t.Parallel()
	providertest.EachDialect(t, func(t *testing.T) {
		t.Helper()
		plane := providertest.NewDev(t)
		test(t, plane, plane.Dialect())
	})
}

// repository returns a configuration of a deployment built from a repository. more replaces settings of source_config.
func repository(plane *providertest.Plane, ref string, more map[string]any) map[string]any {
	sourceConfig := map[string]any{"integration_id": plane.IntegrationID, "repo_url": "https://git.example.com/example-org/chat"}
	maps.Copy(sourceConfig, more)
	return map[string]any{
		"name": "tf-acc-built", "source": "git_host", "source_config": sourceConfig,
		"source_revision_config": map[string]any{"repo_ref": ref, "graph_config_path": "graph.json"},
	}
}

// body returns the body of the last request with a method.
func body(t *testing.T, plane *providertest.Plane, method, pattern string) map[string]any {
	t.Helper()
	sent := plane.Requests(method, pattern)
	if len(sent) == 0 {
		t.Fatalf("%s %s wasn't sent", method, pattern)
	}
	var decoded map[string]any
	if err := json.Unmarshal(sent[len(sent)-1].Body, &decoded); err != nil {
		t.Fatal(err)
	}
	return decoded
}

// refused expects an error with all of the parts, at a path.
func refused(t *testing.T, diags []*tfprotov6.Diagnostic, at string, parts ...string) {
	t.Helper()
	if !hasError(diags) {
		t.Fatalf("diagnostics = %s, want an error", told(diags))
	}
	if at != "" && diags[0].Attribute.String() != at {
		t.Errorf("path of the error = %s, want %s", diags[0].Attribute, at)
	}
	for _, part := range parts {
		if !strings.Contains(told(diags), part) {
			t.Errorf("the diagnostics don't contain %q:\n%s", part, told(diags))
		}
	}
}

// TestDialect_explicit expects a create to send what the service requires, and nothing that it refuses.
func TestDialect_explicit(t *testing.T) {
	forEachDialect(t, func(t *testing.T, plane *providertest.Plane, dialect *api.Dialect) {
		d := drive(t, plane)
		image := imageConfig(plane, nil)
		now := d.made(kept{}, image)
		d.settled(now, image)
		sent, _ := body(t, plane, http.MethodPost, "/v2/deployments")["source_config"].(map[string]any)
		_, explicit := sent["resource_spec"]
		if explicit != dialect.RequiresResourceSpec || sent["deployment_type"] != nil || sent["build_on_push"] != nil {
			t.Errorf("source_config sent for an image = %v, want resource_spec: %t, and nothing else", sent, dialect.RequiresResourceSpec)
		}
		built := repository(plane, "main", nil)
		now = d.made(kept{}, built)
		d.settled(now, built)
		sent, _ = body(t, plane, http.MethodPost, "/v2/deployments")["source_config"].(map[string]any)
		if sent["deployment_type"] != "prod" || sent["build_on_push"] != false || sent["resource_spec"] != nil {
			t.Errorf("source_config sent for a repository = %v, want the type prod and build_on_push false only", sent)
		}
	})
}

// TestDialect_resolvedRef expects the configured ref in state while the service returns the resolved one,
// and another user's ref as drift.
func TestDialect_resolvedRef(t *testing.T) {
	forEachDialect(t, func(t *testing.T, plane *providertest.Plane, _ *api.Dialect) {
		d := drive(t, plane)
		built := repository(plane, "main", nil)
		now := d.made(kept{}, built)
		if commit := now.text("source_revision_config", "repo_commit_sha"); len(commit) != 40 {
			t.Errorf("repo_commit_sha = %q, want a commit", commit)
		}
		d.settled(now, built)
		patchedByOther(plane, map[string]any{"source_revision_config": map[string]any{"repo_ref": "release"}})()
		if ref := d.refreshed(now).text("source_revision_config", "repo_ref"); ref != "release" {
			t.Errorf("repo_ref after another user changed it = %q, want release", ref)
		}
		tagged := repository(plane, "refs/tags/v1.1.0", nil)
		now = d.made(d.refreshed(now), tagged)
		if ref := now.text("source_revision_config", "repo_ref"); ref != "refs/tags/v1.1.0" {
			t.Errorf("repo_ref = %q, want refs/tags/v1.1.0", ref)
		}
		d.settled(now, tagged)
		now = d.made(now, built)
		d.settled(now, built)
	})
}

func TestDialect_emptiedEnvironment(t *testing.T) {
	forEachDialect(t, func(t *testing.T, plane *providertest.Plane, dialect *api.Dialect) {
		d := drive(t, plane)
		now := d.made(kept{}, imageConfig(plane, nil))
		empty := imageConfig(plane, map[string]any{"environment": map[string]string{}})
		_, diags := d.plan(now, empty)
		if !dialect.KeepsLastSecret {
			d.settled(d.made(now, empty), empty)
			return
		}
		refused(t, diags, `AttributeName("environment")`, "Environment can't be emptied", `environment = { UNUSED = "1" }`, "terraform taint")
		bare := map[string]any{"name": "tf-acc-bare", "environment": nil, "secrets_wo": map[string]string{}, "secrets_wo_version": 1}
		none := d.made(kept{}, imageConfig(plane, bare))
		bare["secrets_wo_version"] = 2 // Sends the empty environment again, which removes nothing.
		d.settled(d.made(none, imageConfig(plane, bare)), imageConfig(plane, bare))
		unmanaged := imageConfig(plane, map[string]any{"environment": nil})
		d.settled(d.made(now, unmanaged), unmanaged)
		for name, more := range map[string]map[string]any{
			"one is kept": {"environment": map[string]string{"UNUSED": "1"}}, "it is replaced": {"environment": map[string]string{}, "name": "tf-acc-other"},
		} {
			if _, diags := d.plan(now, imageConfig(plane, more)); hasError(diags) {
				t.Errorf("%s: plan = %s, want no error", name, told(diags))
			}
		}
	})
}

// TestAccDialect_emptiedInApply detects only during the apply that no variable would be left, and sends nothing.
func TestAccDialect_emptiedInApply(t *testing.T) {
	t.Parallel()
	plane := speaking(t, api.LangSmith)
	emptied := step(plane, "env_emptied", config.Variables{"environment": config.MapVariable(map[string]config.Variable{})})
	emptied.ExpectError = words(`Environment can't be emptied`)
	emptied.ConfigPlanChecks.PreApply = updates(true)
	again := step(plane, "env_emptied", nil)
	again.Check = expectRequests(plane, map[string]int{"POST": 1, "PATCH": 0})
	run(t, plane, step(plane, "env_emptied", nil), emptied, again)
}

func TestDialect_longNames(t *testing.T) {
	forEachDialect(t, func(t *testing.T, plane *providertest.Plane, dialect *api.Dialect) {
		d := drive(t, plane)
		long := strings.Repeat("a", 22)
		if _, diags := d.plan(kept{}, imageConfig(plane, map[string]any{"name": long})); strings.Contains(told(diags), "autoscaler") != (dialect.ScalableName > 0) {
			t.Errorf("22 characters: diagnostics = %s, want a warning about the autoscaler: %t", told(diags), dialect.ScalableName > 0)
		}
		if _, diags := d.plan(kept{}, imageConfig(plane, map[string]any{"name": long[:21]})); len(diags) > 0 {
			t.Errorf("21 characters: diagnostics = %s, want none", told(diags))
		}
		built := repository(plane, "main", nil)
		built["name"] = long
		if _, diags := d.plan(kept{}, built); len(diags) > 0 {
			t.Errorf("in the cloud: diagnostics = %s, want none", told(diags))
		}
		now, _ := d.apply(t.Context(), kept{}, imageConfig(plane, map[string]any{"name": long}))
		d.settled(now, imageConfig(plane, map[string]any{"name": long}))
	})
}

// TestDialect_adoptionWarns expects a warning that the configured placement was adopted.
func TestDialect_adoptionWarns(t *testing.T) {
	t.Parallel()
	plane := speaking(t, api.LangSmith)
	d := drive(t, plane)
	config := imageConfig(plane, map[string]any{"environment": nil})
	now := d.refreshed(d.imported(d.made(kept{}, config).text("id")))
	planned, diags := d.plan(now, config)
	if hasError(diags) || !strings.Contains(told(diags), "Not checked against the service") {
		t.Errorf("diagnostics = %s, want the warning that it wasn't checked", told(diags))
	}
	if planned.text("latest_revision_id") != now.text("latest_revision_id") || planned.text("updated_at") != now.text("updated_at") {
		t.Errorf("planned = %s, want no new revision", planned.state)
	}
}

// TestDialect_adoptedCommand configures a command that an import can't read: it makes a revision, because it has to be sent.
func TestDialect_adoptedCommand(t *testing.T) {
	t.Parallel()
	plane := speaking(t, api.LangSmith)
	d := drive(t, plane)
	config := repository(plane, "main", map[string]any{"install_command": "npm ci"})
	now := d.refreshed(d.imported(d.made(kept{}, config).text("id")))
	d.settled(now, repository(plane, "main", nil))
	planned, diags := d.plan(now, config)
	if len(diags) > 0 || planned.text("latest_revision_id") == now.text("latest_revision_id") {
		t.Errorf("planned = %s, want a new revision: %s", planned.state, told(diags))
	}
	d.settled(d.made(now, config), config)
	if sent := len(plane.Requests(http.MethodPatch, "/v2/deployments/*")); sent != 1 {
		t.Errorf("sent %d PATCHes, want 1", sent)
	}
}

// imported returns the state with which an import begins.
func (d *driver) imported(id string) kept {
	d.t.Helper()
	answer, err := d.server.ImportResourceState(d.t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: driven, ID: id})
	if err != nil || len(answer.Diagnostics) > 0 {
		d.t.Fatal(err, told(answer.Diagnostics))
	}
	imported := answer.ImportedResources[0]
	return kept{d.decoded(imported.State), imported.Private, imported.Identity}
}

// TestDialect_buildLog expects the end of the log in the diagnostics of a failed rollout, without the values of secrets.
func TestDialect_buildLog(t *testing.T) {
	forEachDialect(t, func(t *testing.T, plane *providertest.Plane, _ *api.Dialect) {
		const secret = "canary-4711"
		d := drive(t, plane)
		config := repository(plane, "main", nil)
		config["secrets"], config["on_failed_create"] = map[string]string{"TOKEN": secret}, "keep"
		plane.Arm(rolloutFault(api.RevisionBuilding, "npm ci: TOKEN="+secret+" is wrong"))()
		now, diags := d.apply(t.Context(), kept{}, config)
		if hasError(diags) || !strings.Contains(told(diags), "build log: INFO Building ") ||
			!strings.Contains(told(diags), "build log: ERROR npm ci: TOKEN=*** is wrong") || strings.Contains(told(diags), secret) {
			t.Errorf("diagnostics = %s, want the build log without the secret", told(diags))
		}
		const logs = "/v2/deployments/*/revisions/*/logs"
		if asked := len(plane.Requests(http.MethodGet, logs)); asked != 1 {
			t.Errorf("the log was requested %d times, want once", asked)
		}
		plane.Arm(rolloutFault(api.RevisionDeploying, "out of memory"),
			devserver.Fault{Match: "GET /v2/deployments/{deployment_id}/revisions/{revision_id}/logs", Status: 403})()
		now, diags = d.apply(t.Context(), d.refreshed(now), config)
		refused(t, diags, "", "out of memory", "DEPLOY_FAILED")
		if strings.Contains(told(diags), " log: ") {
			t.Errorf("the diagnostics mention a log that can't be read: %s", told(diags))
		}
		before := len(plane.Requests(http.MethodGet, logs))
		d.settled(d.made(d.refreshed(now), config), config)
		if asked := len(plane.Requests(http.MethodGet, logs)) - before; asked != 0 {
			t.Errorf("the log of a successful rollout was requested %d times, want 0", asked)
		}
	})
}

// TestDialect_buildLogOfOthers expects that values of variables that the resource doesn't manage aren't shown either.
func TestDialect_buildLogOfOthers(t *testing.T) {
	forEachDialect(t, func(t *testing.T, plane *providertest.Plane, _ *api.Dialect) {
		const secret = "canary-0815"
		d := drive(t, plane)
		config := imageConfig(plane, map[string]any{"environment": nil})
		now := d.made(kept{}, config)
		patchedByOther(plane, map[string]any{"secrets": []map[string]string{{"name": "OTHER", "value": secret}}})()
		plane.Arm(rolloutFault(api.RevisionDeploying, "OTHER="+secret+" is wrong"))()
		config["source_revision_config"] = image("2.0.0")
		_, diags := d.apply(t.Context(), d.refreshed(now), config)
		refused(t, diags, "", "\nOTHER=*** is wrong", "deploy log: ERROR OTHER=*** is wrong")
		if strings.Contains(told(diags), secret) {
			t.Errorf("the diagnostics contain a secret: %s", told(diags))
		}
	})
}
