package deployment_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccValidate violates each rule once, in which several levels of the schema take part; the unit tests have the others. The text must contain
// the attribute, because the CLI shows only the outermost line of a nested one.
func TestAccValidate(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	d := drive(t, plane)
	type object = map[string]any
	spec := func(more object) object { return container(plane, object{"resource_spec": more}) }
	sidecar := func(more object) object {
		return spec(object{"sidecars": []any{with(object{"name": "proxy", "image": "proxy:1"}, more)}})
	}
	variables := func(more object) object { return with(container(plane, nil), more) }
	git := func(config, revision object) object {
		return object{
			"name": "tf-acc-rpc", "source": "git_host",
			"source_config":          with(object{"integration_id": plane.IntegrationID, "repo_url": "https://git.example.com/acme/agent"}, config),
			"source_revision_config": with(object{"repo_ref": "main", "graph_config_path": "graph.json"}, revision),
		}
	}
	reference := object{"A": object{"secret_name": "s", "secret_key": "k"}}
	for name, test := range map[string]struct {
		config object
		want   string
	}{
		"name":                   {variables(object{"name": "1st_chat"}), `name must start with a letter`},
		"source":                 {variables(object{"source": "tarball"}), `source value must be one of: ["git_host" "external_container"`},
		"spec of a repository":   {git(object{"resource_spec": object{"cpu": 1}}, nil), `source_config.resource_spec applies only to deployments`},
		"image of a repository":  {git(nil, object{"image_uri": "chat:1"}), `source_revision_config.image_uri applies only to deployments of source "external_container"`},
		"full ref of a branch":   {git(nil, object{"repo_ref": "refs/heads/main"}), `without refs/heads/: "main"`},
		"DNS":                    {spec(object{"volumes": []any{object{"name": "Data_1"}}}), `source_config.resource_spec.volumes[0].name must be a DNS label`},
		"scale":                  {spec(object{"min_scale": 3, "max_scale": 2}), `source_config.resource_spec.min_scale is 3, which is more than max_scale (2)`},
		"negative":               {spec(object{"cpu": -1}), `source_config.resource_spec.cpu is -1; the minimum is 0`},
		"mount of a container":   {sidecar(object{"volume_mounts": []any{object{"name": "data", "mount_path": "/data"}}}), `source_config.resource_spec.sidecars[0].volume_mounts[0].name is "data"`},
		"C identifier":           {sidecar(object{"env": []any{object{"name": "A-B"}}}), `source_config.resource_spec.sidecars[0].env[0].name must be the name of an environment variable`},
		"pull policy":            {sidecar(object{"image_pull_policy": "Sometimes"}), `sidecars[0].image_pull_policy value must be one of`},
		"JSON":                   {sidecar(object{"security_context_json": `["no object"]`}), `Invalid source_config.resource_spec.sidecars[0].security_context_json`},
		"deprecated":             {spec(object{"executor_cpu": 1}), `has deprecated this field`},
		"version without values": {variables(object{"secrets_wo_version": 1}), `"secrets_wo" must be specified`},
		"no name of a variable":  {variables(object{"environment": object{"1A": "1"}}), `must be the name of an environment variable`},
		"no ownership":           {variables(object{"environment_ownership": "some"}), `value must be one of: ["all" "declared"]`},
		"a variable twice":       {variables(object{"environment": object{"A": "x"}, "secret_references": reference}), `A is set both from a Kubernetes secret and in environment`},
		"references of git":      {with(git(nil, nil), object{"secret_references": reference}), `secret_references applies only to deployments of source "external_container"`},
		"template without an ID": {object{"name": "chat", "source": "internal_template", "source_config": object{}, "source_revision_config": object{}}, `requires source_config.template_id`},
		"image of an archive": {object{"name": "chat", "source": "internal_source", "source_config": object{}, "source_revision_config": image("1")},
			`source_revision_config.image_uri applies only to deployments of source "external_container" or "internal_container"`},
	} {
		checked, err := d.server.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{
			TypeName: driven, Config: d.document(test.config),
			ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
		})
		if err != nil {
			t.Fatal(err)
		}
		diags := checked.Diagnostics
		if len(diags) == 0 { // Mocks validate random values, so what depends on them is for the plan.
			_, diags = d.plan(kept{}, test.config)
		}
		said := strings.Join(strings.Fields(told(diags)), " ")
		if hasError(diags) == (name == "deprecated") || !strings.Contains(said, test.want) {
			t.Errorf("%s: diagnostics = %s, want %q", name, said, test.want)
		}
	}
	if sent := plane.Requests(http.MethodPost, "/v2/deployments"); len(sent) > 0 {
		t.Errorf("%d deployments were created, want none", len(sent))
	}
}

// TestAccValidate_unknown checks that no rule is violated while a value that the rule needs is unknown.
func TestAccValidate_unknown(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	create := step(plane, "validate_unknown", nil)
	create.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{
		plancheck.ExpectUnknownValue(address, tfPath([]string{"source_config", "resource_spec", "cpu_limit"})),
	}
	run(t, plane, create)
}

// TestAccValidate_customURL checks that the URL set by the service, which generated configuration contains, is accepted, and no other one.
func TestAccValidate_customURL(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	r := plane.RPC()
	config := func(url any) map[string]any {
		return map[string]any{
			"name": "tf-acc-url", "source": "git_host",
			"source_config": map[string]any{
				"integration_id": plane.IntegrationID, "repo_url": "https://git.example.com/acme/agent", "custom_url": url,
			},
			"source_revision_config": map[string]any{"repo_ref": "main", "graph_config_path": "graph.json"},
		}
	}
	plan := func(url any, prior *tfprotov6.DynamicValue) []*tfprotov6.Diagnostic {
		resp, err := r.Server.PlanResourceChange(context.Background(), &tfprotov6.PlanResourceChangeRequest{
			TypeName: driven, PriorState: prior, Config: r.Value(config(url)), ProposedNewState: r.Value(config(url)),
		})
		if err != nil {
			t.Fatal(err)
		}
		return resp.Diagnostics
	}
	none := &tfprotov6.DynamicValue{JSON: []byte("null")}
	there := r.Value(config("https://set-by-the-service.example.com"))
	r.OK(nil, plan(nil, none))
	r.OK(nil, plan("https://set-by-the-service.example.com", there))
	for name, diags := range map[string][]*tfprotov6.Diagnostic{
		"created": plan("https://mine.example.com", none), "changed": plan("https://mine.example.com", there),
	} {
		if !strings.Contains(told(diags), `the service sets it itself for deployments of source "git_host"`) {
			t.Errorf("%s: diagnostics = %s, want that the service sets the URL", name, told(diags))
		}
	}
}
