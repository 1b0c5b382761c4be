package providertest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccTestAgents_unraced runs the job of the guide: with the agent as it is, which passes, and with one that gives a wrong answer. The suite
// and the module must both say so. Of the job's steps, npm ci is left out: the packages are installed for all tests, in the same versions.
func TestAccTestAgents_unraced(t *testing.T) {
	t.Parallel()
	packages := devservertest.InstallNPM(t)
	plane := providertest.NewDev(t, quick)
	c := startCLI(t, plane)
	c.needs(6, 6)
	c.offer("0.1.0")
	var steps, wants []string

	title := regexp.MustCompile(`^(?:#|//) ([\w./-]+)\n`)
	for _, block := range codeBlocks(readText(t, filepath.Join(root, "templates", "guides", "test-agents.md"))) {
		named := title.FindStringSubmatch(block.code)
		switch block.language {
		case "text":
			wants = append(wants, block.code)
		case "json":
			installed := readText(t, filepath.Join(packages, "package.json"))
			for _, version := range regexp.MustCompile(`"\w+": "\d.*"`).FindAllString(block.code, -1) {
				if !strings.Contains(installed, version) {
					t.Errorf("the guide has %s, but the tests have\n%s", version, installed)
				}
			}
		case "yaml":
			for _, step := range regexp.MustCompile(`(?m)^      - run: (.*)$`).FindAllStringSubmatch(block.code, -1) {
				steps = append(steps, step[1])
			}
		default:
			c.write(named[1], block.code)
		}
	}
	if len(steps) != 3 || steps[0] != "npm ci" || len(wants) != 2 {
		t.Fatalf("the job's steps are %q, and %d outputs are shown; want npm ci and two others, and two outputs", steps, len(wants))
	}
	if err := os.Symlink(filepath.Join(packages, "node_modules"), filepath.Join(c.directory, "node_modules")); err != nil {
		t.Fatal(err)
	}
	c.environment = append(c.environment, "TMPDIR="+t.TempDir(), "NO_COLOR=1", "NODE_OPTIONS=--no-warnings",
		"TF_VAR_listener_id="+plane.ListenerID, "TF_VAR_k8s_namespace="+plane.K8sNamespace)
	suite, module := steps[1], steps[2]
	if told := c.shell(suite); strings.Count(told, "✓ Passed") != 2 {
		t.Errorf("the suite of an agent that passes:\n%s", told)
	}
	if told := c.shell(module); !strings.Contains(told, "1 passed, 0 failed") {
		t.Errorf("the module's test after that:\n%s", told)
	}
	agent := readText(t, filepath.Join(c.directory, "agent.mjs"))
	c.write("agent.mjs", strings.Replace(agent, "Madrid", "Barcelona", 1))
	for i, step := range []string{suite, module} {
		told := c.shell("if " + step + "; then exit 1; fi")
		told = regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(told, "")
		if err := shows(told, wants[i]); err != nil {
			t.Error(err)
		}
	}
	evaluation := strings.Replace(suite, "npx vitest run", "node evaluate.mjs", 1)
	c.write("agent.mjs", agent)
	if told := c.shell(evaluation + "\n" + module); !strings.Contains(told, "1 passed, 0 failed") {
		t.Errorf("the module's test after an evaluation that passes:\n%s", told)
	}
}
