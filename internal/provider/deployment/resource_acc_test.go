package deployment_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

const address = "agentplane_deployment.test"

// step applies one of the configurations in testdata. Terraform plans again after every step, and the plan must be
// empty.
func step(plane *providertest.Plane, directory string, variables config.Variables) resource.TestStep {
	return resource.TestStep{
		ConfigDirectory: config.StaticDirectory("testdata/" + directory),
		ConfigVariables: plane.Variables(variables),
	}
}

// known expects a value of an attribute of the deployment in state.
func known(value knownvalue.Check, attributePath ...string) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(address, tfPath(attributePath), value)
}

func tfPath(steps []string) tfjsonpath.Path {
	at := tfjsonpath.New(steps[0])
	for _, step := range steps[1:] {
		at = at.AtMapKey(step)
	}
	return at
}

func text(s string) knownvalue.Check { return knownvalue.StringExact(s) }

var uuidPattern = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

func TestAccDeployment_externalContainer(t *testing.T) {
	t.Parallel()
	providertest.EachDialect(t, func(t *testing.T) {
		plane := providertest.New(t)
		create := step(plane, "external_container", nil)
		create.ConfigStateChecks = []statecheck.StateCheck{
			known(knownvalue.StringRegexp(uuidPattern), "id"),
			known(text(plane.Name("image")), "name"),
			known(text("external_container"), "source"),
			known(text(plane.ListenerID), "source_config", "listener_id"),
			known(text(plane.K8sNamespace), "source_config", "listener_config", "k8s_namespace"),
			known(knownvalue.Null(), "source_config", "integration_id"),
			known(knownvalue.Null(), "source_config", "build_on_push"),
			known(text(plane.Image("1.0.0")), "source_revision_config", "image_uri"),
			known(knownvalue.Null(), "source_revision_config", "repo_commit_sha"),
			known(knownvalue.Null(), "environment"),
			known(knownvalue.SetExact([]knownvalue.Check{}), "environment_names"),
			known(text("READY"), "status"),
			known(text("DEPLOYED"), "latest_revision_status"),
			known(knownvalue.NotNull(), "created_at"),
			known(knownvalue.NotNull(), "updated_at"),
			known(knownvalue.NotNull(), "image_version"),
			statecheck.CompareValuePairs(address, tfjsonpath.New("latest_revision_id"), address,
				tfjsonpath.New("active_revision_id"), compare.ValuesSame()),
		}
		update := step(plane, "external_container", config.Variables{
			"image_uri": config.StringVariable(plane.Image("1.1.0")),
		})
		update.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{
			plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate),
			plancheck.ExpectUnknownValue(address, tfjsonpath.New("latest_revision_id")),
			plancheck.ExpectKnownValue(address, tfjsonpath.New("id"), knownvalue.StringRegexp(uuidPattern)),
		}
		update.ConfigStateChecks = []statecheck.StateCheck{
			known(text(plane.Image("1.1.0")), "source_revision_config", "image_uri"),
			known(text("DEPLOYED"), "latest_revision_status"),
		}
		tryAll(t, plane, importsAlike(t, plane, create), importsAlike(t, plane, update))
	})
}

func TestAccDeployment_gitHost(t *testing.T) {
	t.Parallel()
	providertest.EachDialect(t, func(t *testing.T) {
		plane := providertest.New(t)
		create := step(plane, "git_host", nil)
		create.ConfigStateChecks = []statecheck.StateCheck{
			known(text("git_host"), "source"),
			known(text(plane.IntegrationID), "source_config", "integration_id"),
			known(text("prod"), "source_config", "deployment_type"),
			known(knownvalue.Bool(false), "source_config", "build_on_push"),
			known(knownvalue.NotNull(), "source_config", "custom_url"),
			known(knownvalue.StringRegexp(regexp.MustCompile(`^[0-9a-f]{40}$`)), "source_revision_config", "repo_commit_sha"),
			known(text("READY"), "status"),
			known(text("DEPLOYED"), "latest_revision_status"),
		}
		tag := step(plane, "git_host", config.Variables{"repo_ref": config.StringVariable("refs/tags/v1.1.0")})
		tag.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{
			plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate),
			plancheck.ExpectUnknownValue(address, tfPath([]string{"source_revision_config", "repo_commit_sha"})),
		}
		tryAll(t, plane, importsAlike(t, plane, create), importsAlike(t, plane, tag, tagIgnored(plane)...))
	})
}

// TestAccDeployment_everyField sets every optional argument of both sources, and reads each of them back.
func TestAccDeployment_everyField(t *testing.T) {
	t.Parallel()
	providertest.EachDialect(t, func(t *testing.T) {
		variables := map[string]knownvalue.Check{"LOG_LEVEL": text("debug"), "EMPTY": text("")}
		t.Run("external_container", func(t *testing.T) {
			t.Parallel()
			plane := providertest.New(t)
			all := step(plane, "external_container", config.Variables{
				"custom_url": config.StringVariable("https://chat.example.com"),
				"environment": config.MapVariable(map[string]config.Variable{
					"LOG_LEVEL": config.StringVariable("debug"), "EMPTY": config.StringVariable(""),
				}),
				"secrets":  config.MapVariable(map[string]config.Variable{"TOKEN": config.StringVariable("s3cret-value")}),
				"timeouts": config.MapVariable(map[string]config.Variable{"create": config.StringVariable("1h"), "read": config.StringVariable("2m")}),
			})
			all.ConfigStateChecks = []statecheck.StateCheck{
				known(text("https://chat.example.com"), "source_config", "custom_url"),
				known(knownvalue.MapExact(variables), "environment"),
				known(text("s3cret-value"), "secrets", "TOKEN"),
				known(knownvalue.SetExact([]knownvalue.Check{text("EMPTY"), text("LOG_LEVEL"), text("TOKEN")}), "environment_names"),
				known(text("1h"), "timeouts", "create"),
			}
			tryAll(t, plane, importsAlike(t, plane, all, "environment", "secrets"))
		})
		t.Run("git_host", func(t *testing.T) {
			t.Parallel()
			plane := providertest.New(t)
			all := step(plane, "git_host", config.Variables{
				"deployment_type": config.StringVariable("dev"),
				"build_on_push":   config.BoolVariable(true),
				"install_command": config.StringVariable("npm ci"),
				"build_command":   config.StringVariable("npm run build"),
				"environment": config.MapVariable(map[string]config.Variable{
					"LOG_LEVEL": config.StringVariable("debug"), "EMPTY": config.StringVariable(""),
				}),
			})
			all.ConfigStateChecks = []statecheck.StateCheck{
				known(text("dev"), "source_config", "deployment_type"),
				known(knownvalue.Bool(true), "source_config", "build_on_push"),
				known(text("npm ci"), "source_config", "install_command"),
				known(text("npm run build"), "source_config", "build_command"),
				known(knownvalue.MapExact(variables), "environment"),
			}
			tryAll(t, plane, importsAlike(t, plane, all, "environment", "secrets"))
		})
	})
}

// importsAlike adds to a step that an import of the deployment has the same attributes as the state. Those that the service doesn't store or
// return are ignored.
func importsAlike(t *testing.T, plane *providertest.Plane, applied resource.TestStep, ignore ...string) resource.TestStep {
	t.Helper()
	ignore = append(ignore, "delete_tracing_project", "revision_reasons", "timeouts")
	if plane.Dialect().HidesSettings {
		ignore = append(ignore, "source_config.listener_config", "source_config.install_command", "source_config.build_command")
	}
	if plane.Dialect().FillsResourceSpec {
		ignore = append(ignore, "source_config.resource_spec")
	}
	applied.ConfigStateChecks = append(applied.ConfigStateChecks, imported{t, plane, ignore})
	return applied
}

type imported struct {
	t       *testing.T
	plane   *providertest.Plane
	ignored []string
}

// CheckState implements statecheck.StateCheck.
func (i imported) CheckState(_ context.Context, req statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse) {
	stored := req.State.Values.RootModule.Resources[0].AttributeValues
	d := i.plane.Follow(i.t, driven)         //nolint:contextcheck // The calls of a test may take until it ends.
	if !d.Import(fmt.Sprint(stored["id"])) { //nolint:contextcheck // As above.
		resp.Error = errors.New(providertest.Told(d.Diags))
		return
	}
	var trees [2]map[string]any
	for n, attributes := range []map[string]any{stored, d.Attributes()} {
		encoded, err := json.Marshal(attributes)
		if err = errors.Join(err, json.Unmarshal(encoded, &trees[n])); err != nil {
			resp.Error = err
			return
		}
		for _, ignored := range i.ignored {
			in, name, nested := strings.Cut(ignored, ".")
			if object, _ := trees[n][in].(map[string]any); nested {
				delete(object, name)
				continue
			}
			delete(trees[n], in)
		}
	}
	if diff := cmp.Diff(trees[0], trees[1]); diff != "" {
		resp.Error = fmt.Errorf("the import differs (-state +imported):\n%s", diff)
	}
}

// tagIgnored ignores the tag if the service returns only the commit that it resolved it to.
func tagIgnored(plane *providertest.Plane) []string {
	if plane.Dialect().ResolvesRepoRef {
		return []string{"source_revision_config.repo_ref"}
	}
	return nil
}

// remember stores the ID of the deployment for a later step.
func remember(id *string) resource.TestCheckFunc {
	return func(s *terraform.State) error {
		*id = s.RootModule().Resources[address].Primary.ID
		return nil
	}
}

// checkNoneLeft checks at the end of every test that nothing is left in the service.
func checkNoneLeft(plane *providertest.Plane) resource.TestCheckFunc {
	return func(*terraform.State) error {
		if plane.Server == nil {
			return nil // Other users have deployments there.
		}
		var left api.List[api.Deployment]
		plane.Call("GET", "/v2/deployments", nil, &left)
		if len(left.Resources) > 0 {
			return fmt.Errorf("%d deployments are left, want none; the first is %q", len(left.Resources), left.Resources[0].Name)
		}
		return nil
	}
}

// healthy expects the deployment in state to be the only one, and no plan to replace or change it: the step's
// plan after the apply has to be empty.
func healthy(plane *providertest.Plane) resource.TestCheckFunc {
	return func(s *terraform.State) error {
		if id := s.RootModule().Resources[address].Primary.ID; id != only(plane).ID {
			return fmt.Errorf("id in state = %s, want that of the only deployment, %s", id, only(plane).ID)
		}
		return nil
	}
}

// tryAll runs the steps, and expects no deployments at the end.
func tryAll(t *testing.T, plane *providertest.Plane, steps ...resource.TestStep) {
	t.Helper()
	providertest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(), CheckDestroy: checkNoneLeft(plane), Steps: steps,
	})
}
