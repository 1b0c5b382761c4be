package providertest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestAccReadme_job runs the README's CI job unchanged, on a module with the README's test.
func TestAccReadme_job(t *testing.T) {
	t.Parallel()
	m := startMachine(t)
	m.needs(t, 6, 6)
	readme := readText(t, filepath.Join(root, "README.md"))
	find := func(pattern string) string {
		found := regexp.MustCompile(pattern).FindStringSubmatch(readme)
		if found == nil {
			t.Fatalf("the README doesn't match %s", pattern)
		}
		return found[1]
	}
	deployment := find("(?s)```hcl\n(.*?)```")
	test := find("(?s)```terraform\n# tests/deploy.tftest.hcl\n(.*?)```")
	job := find("(?s)```bash\n(.*?)```")

	deployment = strings.NewReplacer(
		"data.agentplane_listener.cluster.id", "var.listener_id", `"agents" }`, "var.k8s_namespace }",
	).Replace(regexp.MustCompile(`(?s)data "agentplane_listener".*?\n}\n`).ReplaceAllString(deployment, ""))
	m.directory = writeFiles(t, map[string]string{
		"main.tf": deployment, "deploy.tftest.hcl": test,
		"variables.tf": "variable \"listener_id\" {\n  type = string\n}\n\nvariable \"k8s_namespace\" {\n  type = string\n}\n",
	})
	if err := os.Symlink(absolute(t, root), filepath.Join(m.directory, "terraform-provider-agentplane")); err != nil {
		t.Fatal(err)
	}
	if told, err := m.run(t, job); err != nil || !strings.Contains(told, "1 passed, 0 failed") {
		t.Errorf("the job ends with %v:\n%s", err, told)
	}
}
