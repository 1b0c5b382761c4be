package controlplane_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestNPMClient_deploy deploys with the vendor's command-line client, as it comes from npm, at the path of a self-hosted installation.
func TestNPMClient_deploy(t *testing.T) {
	t.Parallel()
	packages := devservertest.InstallNPM(t)
	project := t.TempDir()
	for name, content := range map[string]string{
		"langgraph.json": `{"node_version": "20", "graphs": {"agent": "./agent.mjs:graph"}, "env": {"GREETING": "hello"}}`,
		"package.json":   `{"name": "chat", "version": "1.0.0", "type": "module"}`,
		"agent.mjs":      "export const graph = {};",
	} {
		devservertest.Must(t, os.WriteFile(filepath.Join(project, name), []byte(content), 0o600))
	}
	p := newProduct(t, devserver.Config{Keys: []devserver.Key{{Value: "sesame", Workspaces: []string{devservertest.WorkspaceA}}}})
	p.plane = p.As("X-Api-Key", "sesame")
	run := func(want string, args ...string) {
		t.Helper()
		args = append([]string{filepath.Join(packages, "node_modules", "@langchain", "langgraph-cli", "dist", "cli", "cli.mjs"), "deploy"}, args...)
		cli := exec.CommandContext(t.Context(), "node", append(args, "--host-url", p.Web.URL+"/api-host", "--api-key", "sesame")...)
		cli.Dir, cli.Env = project, append(os.Environ(), "LANGGRAPH_CLI_NO_ANALYTICS=1")
		if out, err := cli.CombinedOutput(); err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%v: error = %v, want output with %q:\n%s", args[1:], err, want, out)
		}
	}
	run("Deployment successful!", "--remote", "--no-input", "--name", "chat")
	listed := p.get("/v2/deployments")["resources"].([]any)
	if len(listed) != 1 {
		t.Fatalf("deployments = %v, want one", listed)
	}
	id := listed[0].(object)["id"].(string)
	run(`"status":"succeeded"`, "--remote", "--no-input", "--name", "chat", "--json")
	made := p.get("/v2/deployments/" + id + "/revisions")["resources"].([]any)
	if len(made) != 2 {
		t.Fatalf("revisions = %v, want two", made)
	}
	first := made[1].(object)["id"].(string)
	run(first+"  REPLACED", "revisions", "list", id)
	run("Deployed.", "logs", "--name", "chat")
	run("Building the revision.", "logs", "--name", "chat", "--type", "build")
	run("Deleted deployment "+id, "delete", id, "--force")
}
