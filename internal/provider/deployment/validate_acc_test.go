package deployment_test

import (
	"context"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

func object(pairs ...any) config.Variable { return spec(pairs...)["resource_spec"] }

func list(elements ...config.Variable) config.Variable { return config.ListVariable(elements...) }

func str(s string) config.Variable { return config.StringVariable(s) }

// TestAccValidate violates each rule once. The text must contain the attribute, because the CLI shows only the outermost
// line of a nested one.
func TestAccValidate(t *testing.T) {
	t.Parallel()
	providertest.EachDialect(t, func(t *testing.T) {
		inSpec := func(pairs ...any) config.Variables {
			return config.Variables{"source_config": object("resource_spec", object(pairs...))}
		}
		sidecar := func(pairs ...any) config.Variables {
			return inSpec("sidecars", list(object(append([]any{"name", str("proxy"), "image", str("proxy:1")}, pairs...)...)))
		}
		git := func(variables config.Variables) config.Variables {
			variables["source_value"] = str("git_host")
			return variables
		}
		for name, test := range map[string]struct {
			variables config.Variables
			want      string
		}{
			"name":   {config.Variables{"name": str("1st_chat")}, `Attribute name must start with a letter`},
			"source": {config.Variables{"source_value": str("tarball")}, `Attribute source value must be one of: \["git_host" "external_container"`},
			"field of the other source": {config.Variables{"source_config": object("repo_url", str("https://git.example.com/a/b"))},
				`source_config.repo_url applies only to deployments of source "git_host"`},
			"revision field of the other source": {git(config.Variables{"source_revision_config": object("image_uri", str("chat:1"))}),
				`source_revision_config.image_uri applies only to deployments of source "external_container"`},
			"spec of the other source": {git(inSpec("cpu", 1)), `source_config.resource_spec applies only to deployments`},
			"missing image": {config.Variables{"source_revision_config": config.ObjectVariable(map[string]config.Variable{"image_uri": nil})},
				`A deployment of source "external_container" requires source_revision_config.image_uri`},
			"missing ref": {git(config.Variables{"source_revision_config": config.ObjectVariable(map[string]config.Variable{"repo_ref": nil})}),
				`A deployment of source "git_host" requires source_revision_config.repo_ref`},
			"tag and build_on_push": {git(config.Variables{"source_config": object("build_on_push", config.BoolVariable(true)),
				"source_revision_config": object("repo_ref", str("refs/tags/v1"))}), `source_config.build_on_push is true, but .* the tag "refs/tags/v1"`},
			"full ref of a branch": {git(config.Variables{"source_revision_config": object("repo_ref", str("refs/heads/main"))}),
				`Invalid source_revision_config.repo_ref .* without refs/heads/: "main"`},
			"namespace without listener": {config.Variables{"source_config": config.ObjectVariable(map[string]config.Variable{"listener_id": nil})},
				`source_config.listener_config is set, but source_config.listener_id is not`},
			"UUID":     {config.Variables{"source_config": object("listener_id", str("cluster"))}, `Invalid source_config.listener_id`},
			"URL":      {config.Variables{"source_config": object("custom_url", str("chat.example.com"))}, `Invalid source_config.custom_url`},
			"image":    {config.Variables{"source_revision_config": object("image_uri", str("https://example.com/chat"))}, `Invalid source_revision_config.image_uri`},
			"DNS":      {inSpec("volumes", list(object("name", str("Data_1")))), `Attribute source_config.resource_spec.volumes\[0\].name must be a DNS label`},
			"scale":    {inSpec("min_scale", 3, "max_scale", 2), `source_config.resource_spec.min_scale is 3, which is more than max_scale \(2\)`},
			"request":  {inSpec("db_memory_mb", 512, "db_memory_limit_mb", 256), `source_config.resource_spec.db_memory_mb is 512, which is more than`},
			"negative": {inSpec("cpu", -1), `source_config.resource_spec.cpu is -1; the minimum is 0`},
			"mount": {inSpec("volume_mounts", list(object("name", str("data"), "mount_path", str("/data")))),
				`source_config.resource_spec.volume_mounts\[0\].name is "data", but no volume has that name`},
			"mount of a container": {sidecar("volume_mounts", list(object("name", str("data"), "mount_path", str("/data")))),
				`source_config.resource_spec.sidecars\[0\].volume_mounts\[0\].name is "data"`},
			"volumes of one name": {inSpec("volumes", list(object("name", str("data")), object("name", str("data")))),
				`source_config.resource_spec.volumes\[1\].name is "data", which is already used at source_config.resource_spec.volumes\[0\].name`},
			"value twice": {sidecar("env", list(object("name", str("A"), "value", str("a"), "value_from_json", str(`{"fieldRef":{}}`)))),
				`source_config.resource_spec.sidecars\[0\].env\[0\] has both value and value_from_json`},
			"C identifier": {sidecar("env", list(object("name", str("A-B")))),
				`Attribute source_config.resource_spec.sidecars\[0\].env\[0\].name must be the name of an environment variable`},
			"pull policy": {sidecar("image_pull_policy", str("Sometimes")), `sidecars\[0\].image_pull_policy value must be one of`},
			"JSON":        {sidecar("security_context_json", str(`["no object"]`)), `Invalid source_config.resource_spec.sidecars\[0\].security_context_json`},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				plane := providertest.NewDev(t)
				refused := step(plane, "validate", test.variables)
				refused.PlanOnly = true
				refused.ExpectError = words(test.want)
				providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{refused}})
				if asked := plane.Server.Requests(); len(asked) > 0 {
					t.Errorf("%d requests were sent, want none; the first is %s %s", len(asked), asked[0].Method, asked[0].Path)
				}
			})
		}
	})
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
	r := newRPC(t, plane)
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
		resp, err := r.server.PlanResourceChange(context.Background(), &tfprotov6.PlanResourceChangeRequest{
			TypeName: typeName, PriorState: prior, Config: value(t, config(url)), ProposedNewState: value(t, config(url)),
		})
		if err != nil {
			t.Fatal(err)
		}
		return resp.Diagnostics
	}
	none := &tfprotov6.DynamicValue{JSON: []byte("null")}
	there := value(t, config("https://set-by-the-service.example.com"))
	r.ok(nil, plan(nil, none))
	r.ok(nil, plan("https://set-by-the-service.example.com", there))
	for name, diags := range map[string][]*tfprotov6.Diagnostic{
		"created": plan("https://mine.example.com", none), "changed": plan("https://mine.example.com", there),
	} {
		if !strings.Contains(told(diags), `the service sets it itself for deployments of source "git_host"`) {
			t.Errorf("%s: diagnostics = %s, want that the service sets the URL", name, told(diags))
		}
	}
}
