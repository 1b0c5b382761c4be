package providertest_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// platformInputs are values of the variables that choose what a root of the example platform deploys, as arguments of the CLI.
var platformInputs = map[string]string{
	"image":            "image=registry.example.com/agents/chat@sha256:60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752",
	"repository":       `repository={ integration = "example-org", url = "https://git.example.com/example-org/chat", graph_config_path = "graph.json" }`,
	"ref":              "ref=main",
	"release":          "release=v1.1.0",
	"candidate":        `candidate={ image = "registry.example.com/agents/chat@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", percent = 5 }`,
	"tagged candidate": `candidate={ release = "v1.0.0", percent = 5 }`,
	"evaluation":       `evaluation={ dataset = "questions" }`,
	"dev_workspace_id": "dev_workspace_id=22222222-2222-4222-8222-222222222222",
	"cluster":          `cluster={ compute_id = "dev-cluster", namespace = "agents-blue" }`,
	"resources":        "resources={ max_scale = 5 }",
}

// reads are lines about reads, which come in any order.
var reads = regexp.MustCompile(`(?m)^.*: (Reading|Read complete|Still reading).*\n`)

// furtherVariables have an effect on whatever is deployed.
var furtherVariables = []string{"dialect", "name", "secrets", "limits", "deletion_protection", "pull_request"}

// TestAccPlatform_inputs adds each input to each set that a root accepts. The plan changes, or is refused: no input is ignored.
func TestAccPlatform_inputs(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t, quick)
	c := startCLI(t, plane)
	c.needs(11, 11)
	c.offer("0.1.0")
	if err := os.CopyFS(c.directory, os.DirFS(filepath.Join(root, "examples", "platform"))); err != nil {
		t.Fatal(err)
	}
	c.environment = append(c.environment, "TF_VAR_secrets={}", "TF_VAR_pull_request=12")
	plan := func(directory string, inputs ...string) string {
		arguments := []string{"-chdir=" + directory, "plan", "-lock=false"}
		for _, input := range inputs {
			arguments = append(arguments, "-var", platformInputs[input])
		}
		output, _ := c.command(arguments...).CombinedOutput() // A refusal is an outcome.
		return reads.ReplaceAllString(string(output), "")
	}
	accepted := map[string][][]string{
		"dev":     {{"image"}, {"repository"}},
		"preview": {{"image"}, {"repository", "ref"}},
		"prod":    {{}, {"image"}, {"repository", "release"}},
	}
	for _, directory := range slices.Sorted(maps.Keys(accepted)) {
		c.run(0, "-chdir="+directory, "init")
		if directory == "dev" {
			c.run(0, "-chdir=dev", "apply", "-auto-approve", "-var", platformInputs["image"]) // What prod promotes.
		}
	}
	c.attach()
	for directory, sets := range accepted {
		var inputs []string
		declared := readText(t, filepath.Join(c.directory, directory, "variables.tf"))
		for _, variable := range regexp.MustCompile(`variable "(\w+)"`).FindAllStringSubmatch(declared, -1) {
			if !slices.Contains(furtherVariables, variable[1]) {
				inputs = append(inputs, variable[1])
			}
		}
		if slices.Contains(inputs, "candidate") {
			inputs = append(inputs, "tagged candidate")
		}
		for _, set := range sets {
			without := plan(directory, set...)
			if regexp.MustCompile(`(?m)^Error: `).MatchString(without) {
				t.Errorf("%s with %v is refused:\n%s", directory, set, without)
			}
			for _, input := range inputs {
				if platformInputs[input] == "" {
					t.Fatalf("%s has a variable %s, for which there is no value", directory, input)
				}
				if !slices.Contains(set, input) && plan(directory, append(slices.Clone(set), input)...) == without {
					t.Errorf("%s with %v ignores %s", directory, set, input)
				}
			}
		}
	}
}
