package providertest_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

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

// TestAccPlatform_watch deploys images and logs traces. The traces of the image that serves decide whether to return to another one.
func TestAccPlatform_watch(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	c := startCLI(t, plane)
	c.write("main.tf", readText(t, filepath.Join(root, "examples", "platform", "watch", "main.tf")))
	c.attach()
	const images = "registry.example.com/agents/chat:"
	id, newest := deployed(plane), "1.4.0"
	for _, step := range []struct {
		name, image string
		traces      int
		failure     string
		cost        float64
		// exceeded is whether the check fails, and want is the image to return to, if any.
		exceeded bool
		want     string
	}{
		{name: "no traces", image: "1.4.0"},
		{name: "nothing to return to", image: "1.4.0", traces: 20, failure: "boom", exceeded: true},
		{name: "traces of an earlier image", image: "1.5.0"},
		{name: "too few traces", image: "1.5.0", traces: 19, failure: "boom"},
		{name: "errors", image: "1.5.0", traces: 1, failure: "boom", exceeded: true, want: "1.4.0"},
		{name: "deployed before", image: "1.4.0", traces: 20, failure: "boom", exceeded: true},
		{name: "within the limits", image: "1.6.0", traces: 20, cost: 1},
		{name: "cost", image: "1.6.0", traces: 1, cost: 1.1, exceeded: true, want: "1.4.0"},
	} {
		if step.image != newest {
			newest = step.image
			config := map[string]any{"image_uri": images + newest}
			plane.Call("PATCH", "/v2/deployments/"+id, map[string]any{"source_revision_config": config}, nil)
			plane.Clock.Advance(2 * providertest.Rollout)
		}
		runs := make([]any, step.traces)
		now := plane.Clock.Now().UTC()
		for i := range runs {
			run := uuid.NewString()
			logged := map[string]any{
				"id": run, "trace_id": run, "dotted_order": now.Format("20060102T150405") + "000000Z" + run, "session_name": "chat", "name": "answer",
				"run_type": "llm", "start_time": now.Format(time.RFC3339), "end_time": now.Format(time.RFC3339),
				"outputs": map[string]any{"usage_metadata": map[string]any{"input_tokens": 12, "output_tokens": 3, "total_cost": step.cost}},
			}
			if step.failure != "" {
				logged["error"] = step.failure
			}
			runs[i] = logged
		}
		plane.Call("POST", "/api/v1/runs/batch", map[string]any{"post": runs}, nil)
		told := c.run(0, "apply", "-auto-approve")
		var outputs map[string]struct{ Value string }
		if err := json.Unmarshal([]byte(c.run(0, "output", "-json")), &outputs); err != nil {
			t.Fatal(err)
		}
		want := ""
		if step.want != "" {
			want = images + step.want
		}
		revision := outputs["revision_id"].Value
		if outputs["image"].Value != want || (revision == "") != (want == "") || strings.Contains(told, "exceed the limits") != step.exceeded {
			t.Errorf("%s: returns to %v:\n%s", step.name, outputs, told)
		}
	}
}
