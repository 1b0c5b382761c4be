package deployment_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// Tests of what only extended dialects have, without a CLI.

// extendedImage returns a configuration of an image with all attributes that the neutral dialect doesn't have.
func extendedImage(plane *providertest.Plane, more map[string]any) map[string]any {
	config := imageConfig(plane, map[string]any{
		"display_name": "Support agent", "shareable": true, "route_through_gateway": true, "delete_tracing_project": true,
		"secret_references": map[string]any{"DB_PASSWORD": map[string]any{"secret_name": "agent", "secret_key": "password"}},
	})
	maps.Copy(config, more)
	return config
}

func TestExtended_fields(t *testing.T) {
	t.Parallel()
	plane := speaking(t, api.LangSmith)
	d := drive(t, plane)
	config := extendedImage(plane, nil)
	created := d.made(kept{}, config)
	d.settled(created, config)
	for attribute, want := range map[string]string{
		"display_name": "Support agent", "tenant_id": providertest.WorkspaceID, "latest_revision_status": "DEPLOYED", "url": "",
		"dashboard_url": plane.URL + "/o/" + providertest.WorkspaceID + "/host/deployments/" + created.text("id"),
	} {
		if got := created.text(attribute); got != want {
			t.Errorf("%s = %q, want %q", attribute, got, want)
		}
	}
	if created.text("tracing_project_id") == "" {
		t.Error("tracing_project_id is empty")
	}
	post := body(t, plane, "POST", "/v2/deployments")
	if post["shareable"] != true || post["route_through_gateway"] != true || len(post["secret_references"].([]any)) != 1 || post["display_name"] != nil {
		t.Errorf("creation = %v, want it shareable, through the gateway, with one reference and without display_name", post)
	}
	if diff := cmp.Diff(map[string]any{"display_name": "Support agent"}, body(t, plane, "PATCH", "/v2/deployments/*")); diff != "" {
		t.Errorf("request after the creation (-want +got):\n%s", diff)
	}

	renamed := d.made(created, extendedImage(plane, map[string]any{"display_name": "Helper"}))
	if renamed.text("latest_revision_id") != created.text("latest_revision_id") || renamed.text("display_name") != "Helper" {
		t.Errorf("state after changing display_name = %s, want Helper without a new revision", renamed.state)
	}
	direct := d.made(renamed, extendedImage(plane, map[string]any{"display_name": "Helper", "route_through_gateway": false}))
	if diff := cmp.Diff(map[string]any{"route_through_gateway": false}, body(t, plane, "PATCH", "/v2/deployments/*")); diff != "" {
		t.Errorf("request that leaves the gateway (-want +got):\n%s", diff)
	}
	if direct.text("latest_revision_id") != created.text("latest_revision_id") || !strings.Contains(direct.state.String(), `"route_through_gateway":tftypes.Bool<"false">`) {
		t.Errorf("state after changing route_through_gateway = %s, want false without a new revision", direct.state)
	}
	unmanaged := extendedImage(plane, map[string]any{"display_name": "Helper", "route_through_gateway": nil})
	d.settled(direct, unmanaged)
	renamed = direct

	moved := extendedImage(plane, map[string]any{"display_name": nil, "secret_references": map[string]any{
		"DB_PASSWORD": map[string]any{"secret_name": "agent", "secret_key": "other"},
	}})
	now := d.made(renamed, moved)
	if now.text("latest_revision_id") == created.text("latest_revision_id") || now.text("display_name") != "Helper" {
		t.Errorf("state after changing references = %s, want a new revision", now.state)
	}
	d.settled(now, moved)
	now = d.made(now, extendedImage(plane, map[string]any{"display_name": "Helper", "secret_references": moved["secret_references"]}))
	none := extendedImage(plane, map[string]any{"secret_references": map[string]any{}, "display_name": "Helper"})
	now = d.made(now, none)
	if diff := cmp.Diff(map[string]any{"secret_references": []any{}}, body(t, plane, "PATCH", "/v2/deployments/*")); diff != "" {
		t.Errorf("request that removes the references (-want +got):\n%s", diff)
	}
	d.settled(now, none)

	_, diags := d.plan(now, extendedImage(plane, map[string]any{"shareable": false}))
	if hasError(diags) || !strings.Contains(told(diags), "Changing shareable replaces deployment") {
		t.Errorf("diagnostics of changing shareable, want a warning about the replacement:\n%s", told(diags))
	}
	if _, diags := d.apply(t.Context(), now, nil); len(diags) > 0 {
		t.Fatal(told(diags))
	}
	if deletions := plane.Requests("DELETE", "/v2/deployments/*"); len(deletions) != 1 || deletions[0].Query != "delete_tracing_project=true" {
		t.Errorf("deletions = %v, want one with delete_tracing_project", deletions)
	}
}

// TestExtended_sources creates deployments from uploads and templates.
func TestExtended_sources(t *testing.T) {
	t.Parallel()
	for source, tc := range map[string]struct {
		config, revision map[string]any
		patches          int
	}{
		"internal_container": {nil, map[string]any{"image_uri": "registry.example.com/agents/chat:1.0.0"}, 1},
		"internal_source":    {nil, map[string]any{"graph_config_path": "graph.json"}, 1},
		"internal_template":  {map[string]any{"template_id": "react-agent"}, map[string]any{}, 0},
	} {
		t.Run(source, func(t *testing.T) {
			t.Parallel()
			plane := speaking(t, api.LangSmith)
			d := drive(t, plane)
			sourceConfig := map[string]any{"deployment_type": "dev_zero"}
			maps.Copy(sourceConfig, tc.config)
			if source == "internal_source" {
				tc.revision["source_tarball_path"] = uploaded(t, plane)
			}
			config := map[string]any{
				"name": "tf-acc-driven", "source": source, "source_config": sourceConfig, "source_revision_config": tc.revision,
				"environment": map[string]string{"LOG_LEVEL": "debug"},
			}
			made := d.made(kept{}, config)
			d.settled(made, config)
			if made.text("latest_revision_status") != "DEPLOYED" || made.text("url") == "" || made.text("source_config", "deployment_type") != "dev_zero" {
				t.Errorf("state = %s, want it DEPLOYED with a URL and the type dev_zero", made.state)
			}
			if patches := plane.Requests("PATCH", "/v2/deployments/*"); len(patches) != tc.patches {
				t.Errorf("sent %d PATCHes, want %d", len(patches), tc.patches)
			}
		})
	}
}

// uploaded uploads an archive for another deployment, and returns its path.
func uploaded(t *testing.T, plane *providertest.Plane) string {
	t.Helper()
	var made struct{ ID string }
	plane.Call(http.MethodPost, "/v2/deployments", map[string]any{
		"name": "tf-acc-uploaded", "source": "internal_source", "source_config": map[string]any{"deployment_type": "dev"},
		"source_revision_config": map[string]any{}, "secrets": []any{},
	}, &made)
	var upload struct {
		UploadURL  string `json:"upload_url"`
		ObjectPath string `json:"object_path"`
	}
	plane.Call(http.MethodPost, "/v2/deployments/"+made.ID+"/upload-url", nil, &upload)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, upload.UploadURL, strings.NewReader("an archive"))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if err := answer.Body.Close(); err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("upload: status %d, error %v", answer.StatusCode, err)
	}
	return upload.ObjectPath
}

// TestExtended_completionFails fails the request that follows a creation. Nothing may be lost or created twice.
func TestExtended_completionFails(t *testing.T) {
	t.Parallel()
	upload := func(plane *providertest.Plane, more map[string]any) map[string]any {
		config := map[string]any{
			"name": "tf-acc-driven", "source": "internal_container", "source_config": map[string]any{},
			"source_revision_config": image("1.0.0"),
		}
		maps.Copy(config, more)
		return config
	}
	named := func(plane *providertest.Plane, _ map[string]any) map[string]any { return extendedImage(plane, nil) }
	refusal := devserver.Fault{Match: "PATCH /v2/deployments/{deployment_id}", Status: http.StatusBadRequest, Detail: "Not today."}
	for name, tc := range map[string]struct {
		config func(*providertest.Plane, map[string]any) map[string]any
		more   map[string]any
		fault  devserver.Fault
		told   string
	}{
		"a name for people is no reason to fail": {config: named, fault: refusal, told: "Not today."},
		"an image that is refused":               {config: upload, fault: refusal, told: "Not today."},
		"a lost request":                         {config: upload, fault: devserver.Fault{Match: refusal.Match, DropBefore: true}, told: "is unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := speaking(t, api.LangSmith)
			d := drive(t, plane)
			config := tc.config(plane, tc.more)
			plane.Arm(tc.fault)()
			made, diags := d.apply(t.Context(), kept{}, config)
			if hasError(diags) || (len(diags) > 0) != (tc.told != "") || !strings.Contains(told(diags), tc.told) {
				t.Errorf("diagnostics, want a warning only with %q:\n%s", tc.told, told(diags))
			}
			if made.text("id") == "" || !made.state.IsFullyKnown() {
				t.Fatalf("state = %s, want an ID and no unknown values", made.state)
			}
			// In any case, the next apply completes the deployment.
			now := d.made(d.refreshed(made), config)
			d.settled(now, config)
			if now.text("id") != made.text("id") || now.text("latest_revision_status") != "DEPLOYED" {
				t.Errorf("state after the next apply = %s, want the same deployment, DEPLOYED", now.state)
			}
			if posts := plane.Requests("POST", "/v2/deployments"); len(posts) != 1 {
				t.Errorf("sent %d POSTs, want 1", len(posts))
			}
			var revisions api.List[api.Revision]
			plane.Call("GET", "/v2/deployments/"+now.text("id")+"/revisions", nil, &revisions)
			if len(revisions.Resources) != 1 {
				t.Errorf("%d revisions, want 1", len(revisions.Resources))
			}
		})
	}
}

// TestExtended_refusedElsewhere checks that attributes that the service doesn't have are refused by name before anything is sent.
func TestExtended_refusedElsewhere(t *testing.T) {
	t.Parallel()
	for name, more := range map[string]map[string]any{
		"display_name":           {"display_name": "Support"},
		"secret_references":      {"secret_references": map[string]any{"A": map[string]any{"secret_name": "s", "secret_key": "k"}}},
		"shareable":              {"shareable": false},
		"route_through_gateway":  {"route_through_gateway": false},
		"delete_tracing_project": {"delete_tracing_project": true},
		"source": {"source": "internal_template", "source_config": map[string]any{"template_id": "react-agent"},
			"source_revision_config": map[string]any{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := speaking(t, api.Neutral)
			d := drive(t, plane)
			config := imageConfig(plane, map[string]any{"delete_tracing_project": nil})
			maps.Copy(config, more)
			_, diags := d.plan(kept{}, config)
			refused(t, diags, "", `Control planes of the dialect "neutral" don't support `+name, "AGENTPLANE_DIALECT", `"langsmith"`)
			if posts := plane.Requests("POST", "/v2/deployments"); len(posts) != 0 {
				t.Errorf("sent %d POSTs, want none", len(posts))
			}
		})
	}
}
