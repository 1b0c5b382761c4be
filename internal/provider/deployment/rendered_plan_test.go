package deployment_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

var update = flag.Bool("update", false, "write the goldens of rendered plans anew")

// quickstart is a CLI in whose directory the quick start was applied.
func quickstart(t *testing.T) *cli {
	t.Helper()
	c := newCLI(t, buildProvider(t))
	content, err := os.ReadFile("../../../examples/quickstart/main.tf")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(c.directory, "main.tf"), content, 0o600); err != nil {
		t.Fatal(err)
	}
	c.endAt(0, polling)
	c.expect(true, "Apply complete!", nil, "apply", "-auto-approve")
	return c
}

// shown returns the exact output of a command.
func (c *cli) shown(arguments ...string) string {
	c.t.Helper()
	command := exec.CommandContext(c.t.Context(), c.path, arguments...)
	command.Dir, command.Env = c.directory, c.env
	output, err := command.CombinedOutput()
	if err != nil {
		c.t.Fatalf("%s: %s\n%s", arguments, err, output)
	}
	return string(output)
}

var (
	anyUUID = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	// OpenTofu always counts a write-only attribute as changed, and Terraform as hidden.
	unchangedSecrets = regexp.MustCompile(`(?m)^ *~ secrets_wo +=.*\n`)
	hiddenCount      = regexp.MustCompile(`\(\d+ unchanged attributes hidden\)`)

	anyPort = regexp.MustCompile(`127\.0\.0\.1:\d+`)
	anyTime = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d(:|%3A)\d\d(:|%3A)\d\d[0-9.:+Z-]*`)
)

// rendered returns the plan in an output, with IDs, which differ from run to run, replaced by numbers.
func rendered(output string) string {
	if _, plan, found := strings.Cut(output, "will perform the following actions:\n"); found {
		output = plan
	}
	output, _, _ = strings.Cut(output, "\n─")
	numbers := map[string]int{}
	output = anyUUID.ReplaceAllStringFunc(output, func(id string) string {
		if numbers[id] == 0 {
			numbers[id] = len(numbers) + 1
		}
		return fmt.Sprintf("<id %d>", numbers[id])
	})
	output = anyPort.ReplaceAllString(output, "<host>")
	output = unchangedSecrets.ReplaceAllString(output, "")
	output = hiddenCount.ReplaceAllString(output, "(<n> unchanged attributes hidden)")
	return strings.TrimSpace(anyTime.ReplaceAllString(output, "<time>")) + "\n"
}

// TestAccRenderedPlan compares the plans of the quick start, as users see them, with goldens.
func TestAccRenderedPlan(t *testing.T) {
	t.Parallel()
	providertest.EachDialect(t, func(t *testing.T) {
		c := quickstart(t)
		for name, variable := range map[string]string{
			"update":  "image=registry.example.com/agents/chat:1.1.0",
			"replace": "k8s_namespace=" + c.plane.OtherK8sNamespace,
		} {
			if name == "replace" && c.plane.Dialect().ProjectsBlockNames { // The quick start keeps the traces.
				c.expect(false, "Replacement is not possible", nil, "plan", "-var", variable)
				continue
			}
			got := rendered(c.shown("plan", "-var", variable))
			if plane := c.plane; plane.Dialect() != api.Neutral {
				name += "." + plane.Dialect().Name
			}
			golden := filepath.Join("testdata", "rendered_plan", name+".golden")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s (-golden +got; -update updates the file):\n%s", name, diff)
			}
		}
	})
}
