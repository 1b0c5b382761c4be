package providertest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccReadme_job runs the README's CI job unchanged, on a module with the README's test.
func TestAccReadme_job(t *testing.T) {
	t.Parallel()
	startCLI(t, providertest.NewDev(t)).needs(6, 6)
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
	module := writeFiles(t, map[string]string{
		"main.tf": deployment, "deploy.tftest.hcl": test,
		"variables.tf": "variable \"listener_id\" {\n  type = string\n}\n\nvariable \"k8s_namespace\" {\n  type = string\n}\n",
	})
	clone, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(clone, filepath.Join(module, "terraform-provider-agentplane")); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "bash", "-c", job)
	command.Dir = module
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "TF_") && !strings.HasPrefix(variable, "AGENTPLANE_") {
			command.Env = append(command.Env, variable)
		}
	}
	if cli := os.Getenv("TF_ACC_TERRAFORM_PATH"); cli != "" {
		// The job runs the command terraform.
		bin := t.TempDir()
		if err := os.Symlink(cli, filepath.Join(bin, "terraform")); err != nil {
			t.Fatal(err)
		}
		command.Env = append(command.Env, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	}
	output, err := command.CombinedOutput()
	if err != nil || !strings.Contains(string(output), "1 passed, 0 failed") {
		t.Errorf("the job ends with %v:\n%s", err, output)
	}
}
