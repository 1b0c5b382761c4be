package providertest_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccTestAgents_unraced runs the job of the guide as it is written, on the files that the guide shows: with the agent as it is, which
// passes, and with one that gives a wrong answer, which the reporter, the page of the dataset and the module's test must show. What a
// repository has in addition comes from here: the lock file for npm, and a release for the action, which it would download.
func TestAccTestAgents_unraced(t *testing.T) {
	t.Parallel()
	packages := devservertest.InstallNPM(t) // From now on, npm has them in its cache.
	c := startCLI(t, providertest.NewDev(t))
	c.needs(6, 6)
	c.environment = slices.DeleteFunc(c.environment, func(v string) bool {
		return strings.HasPrefix(v, "AGENTPLANE_") || strings.HasPrefix(v, "TF_CLI_CONFIG_FILE")
	})
	script, err := filepath.Abs(filepath.Join(setupAction, "setup.sh"))
	if err != nil {
		t.Fatal(err)
	}
	provider, server := buildRelease(t)
	action := []string{"VERSION=", "SOURCE=" + writeFiles(t, releaseFiles(t, provider, server)), "OPTIONS=-seed", "GITHUB_ENV=github.env", "RUNNER_TEMP=temp",
		"GITHUB_ACTION_PATH=" + filepath.Dir(script)}
	var steps, wants []string

	title := regexp.MustCompile(`^(?:#|//) ([\w./-]+)\n`)
	for _, block := range codeBlocks(readText(t, filepath.Join(root, "templates", "guides", "test-agents.md"))) {
		switch block.language {
		case "text":
			wants = append(wants, block.code)
		case "json":
			c.write("package.json", block.code)
		case "yaml":
			for _, step := range regexp.MustCompile(`(?m)^      - (?:run|uses): (.*)$`).FindAllStringSubmatch(block.code, -1) {
				steps = append(steps, step[1])
			}
		default:
			c.write(title.FindStringSubmatch(block.code)[1], block.code)
		}
	}
	if len(steps) != 6 || !strings.HasSuffix(steps[2], "/actions/setup@v0.1.0") || len(wants) != 2 {
		t.Fatalf("the job's steps are %q, and %d outputs are shown; want a checkout, two actions and three commands, and two outputs", steps, len(wants))
	}
	install, suite, module := steps[3], steps[4], steps[5]
	c.write("package-lock.json", readText(t, filepath.Join(packages, "package-lock.json")))
	c.shell("npm install --package-lock-only --prefer-offline") // Keeps the packages that the guide needs.
	c.shell(actionCommands(t), action...)
	defer c.shell("'" + script + "' stop -directory temp/agentplane")
	for line := range strings.Lines(readText(t, filepath.Join(c.directory, "github.env"))) {
		c.environment = append(c.environment, strings.TrimSpace(line)) // As the runner does it.
	}
	step := func(commands string) string {
		t.Helper()
		return regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(c.shell(commands), "")
	}
	step(install)
	if told := step(suite); strings.Count(told, "✓ Passed") != 2 {
		t.Errorf("the suite of an agent that passes:\n%s", told)
	}
	if told := step(module); !strings.Contains(told, "1 passed, 0 failed") {
		t.Errorf("the module's test after that:\n%s", told)
	}
	agent := readText(t, filepath.Join(c.directory, "agent.mjs"))
	c.write("agent.mjs", strings.Replace(agent, "Madrid", "Barcelona", 1))
	var failed [2]string
	for i, command := range []string{suite, module} {
		failed[i] = step("if " + command + "; then exit 1; fi")
		if err := shows(failed[i], wants[i]); err != nil {
			t.Error(err)
		}
	}
	link := regexp.MustCompile(`http://\S+/compare\?selectedSessions=[\w-]+`).FindString(failed[0])
	page := c.shell(`curl -sSf -u ":$AGENTPLANE_API_KEY" '` + link + "'")
	for _, want := range []string{"1 worse than in the previous experiment", `<span class="score">correct 0.5</span> <span class="failure">worse</span>`, "Barcelona"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page to which the reporter's link %s leads doesn't show %s:\n%s", link, want, page)
		}
	}
	evaluation := strings.Replace(suite, "npx vitest run", "node evaluate.mjs", 1)
	c.write("agent.mjs", agent)
	if told := step(evaluation + "\n" + module); !strings.Contains(told, "1 passed, 0 failed") {
		t.Errorf("the module's test after an evaluation that passes:\n%s", told)
	}
}
