package providertest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// TestAccNewcomer goes from a clone to a deployment and its test, with one home directory and nothing but what the pages say, and, with the
// files of a release, on to a rollback and an import. TestAccGuides follows each page alone, to its end. The registries of the CLIs are
// played by the test: they offer hashicorp/random.
func TestAccNewcomer(t *testing.T) {
	t.Parallel()
	m := startMachine(t, "make")
	m.needs(t, 11, 11) // The example of a platform has write-only arguments.
	// The pages choose no dialect, whichever one is tested.
	m.dialect = api.Neutral
	m.environment = slices.DeleteFunc(m.environment, func(variable string) bool { return strings.HasPrefix(variable, "TF_VAR_dialect=") })
	m.environment = append(m.environment, "CLONE=git clone --quiet") // A lock file doesn't name uncommitted changes.
	program, err := randomProgram()
	if err != nil {
		t.Fatal(err)
	}
	registry := otherRegistry(t, "hashicorp/random", program)
	for _, host := range []string{"registry.terraform.io", "registry.opentofu.org"} {
		configuration := fmt.Sprintf("host %q {\n  services = { \"providers.v1\" = %q }\n}\n", host, registry)
		if told, err := m.run(t, "cat >>~/.terraformrc <<'EOF'\n"+configuration+"EOF"); err != nil {
			t.Fatal(err, told)
		}
	}

	const server, readme = "docs/guides/dev-server.md", "README.md"
	install := blockWith(t, "docs/index.md", "make -C terraform-provider-agentplane install\n")
	apply := blockWith(t, "docs/index.md", "terraform init\nterraform apply\n")
	example := "# main.tf\n" + blockWith(t, "docs/resources/deployment.md", "hashicorp/random")
	test, job := blockWith(t, readme, "# tests/deploy.tftest.hcl"), blockWith(t, readme, "trap \"$setup stop\" EXIT")
	m.follow(t, []codeBlock{
		{language: "shell", code: install},
		{language: "shell", code: blockWith(t, server, "go build -C terraform-provider-agentplane")},
		{language: "shell", code: blockWith(t, server, "serve -seed -rollout 3s")},
		{language: "terraform", code: example},
		{language: "shell", code: apply},
		{language: "text", code: "hashicorp/random v1.2.3\nApply complete! Resources: 2 added"},
		{language: "terraform", code: test},
		{language: "shell", code: job},
		{language: "text", code: "Success! 1 passed, 0 failed."},
	})
	if os.Getenv(releaseVariable) == "" {
		return
	}
	for _, step := range []struct{ page, last string }{
		{"previews", `Deleted workspace "pr-12"!`},
		{"promotion", "chat@sha256:0000000000000000000000000000000000000000000000000000000000000001\n"},
		{"roll-back", `~ image_uri = "registry.example.com/agents/chat:1.5.0" -> `},
		{"bulk-import", "Resources: 42 imported"},
	} {
		if told, err := m.run(t, fmt.Sprintf("mkdir '%[1]s/%[2]s'; cd '%[1]s/%[2]s'", m.directory, step.page)); err != nil {
			t.Fatal(err, told)
		}
		m.follow(t, upTo(t, filepath.Join("docs", "guides", step.page+".md"), step.last))
	}
	locked, err := m.run(t, "grep -h 'version *=' .terraform.lock.hcl ../roll-back/.terraform.lock.hcl")
	if err != nil || strings.Contains(locked, "+") {
		t.Errorf("%v, or the provider is not from the files of the release, but was built:\n%s", err, locked)
	}
}

// upTo returns the blocks of a page that every CLI can run, up to the first one with a text.
func upTo(t *testing.T, page, last string) []codeBlock {
	t.Helper()
	blocks := slices.DeleteFunc(codeBlocks(readText(t, filepath.Join(root, page))), func(b codeBlock) bool { return b.mark != "" })
	end := slices.IndexFunc(blocks, func(b codeBlock) bool { return strings.Contains(b.code, last) })
	if end < 0 {
		t.Fatalf("%s has no block with %s", page, last)
	}
	return blocks[:end+1]
}
