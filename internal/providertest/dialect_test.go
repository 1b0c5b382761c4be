package providertest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestMatrix keeps the list of dialects complete in which the long runs go through all cells.
func TestMatrix(t *testing.T) {
	t.Parallel()
	var names []string
	for _, dialect := range api.Dialects {
		names = append(names, dialect.Name)
	}
	want := "${DIALECTS:-" + strings.Join(names, " ") + "}"
	if !strings.Contains(readText(t, filepath.Join(root, ".ci", "torture")), want) {
		t.Errorf(".ci/torture should say %q", want)
	}
}

// TestNew_installation takes what it needs to know from the environment, which it changes.
func TestNew_installation(t *testing.T) {
	for name, value := range map[string]string{
		"AGENTPLANE_BASE_URL": "https://agents.example.com/api-host", "AGENTPLANE_DIALECT": "langsmith",
		"AGENTPLANE_TEST_IMAGE": "registry.acme.dev/chat", "TF_VAR_listener_id": oneID, "TF_VAR_k8s_namespace": "agents",
	} {
		t.Setenv(name, value)
	}
	plane := providertest.New(t)
	if plane.URL != "https://agents.example.com/api-host" || plane.Server != nil || plane.Dialect() != api.LangSmith {
		t.Errorf("got %s in %s", plane.URL, plane.Dialect().Name)
	}
	if plane.ListenerID != oneID || plane.K8sNamespace != "agents" || plane.Image("1.1.0") != "registry.acme.dev/chat:1.1.0" {
		t.Errorf("deployments refer to %q, %q and %q", plane.ListenerID, plane.K8sNamespace, plane.Image("1.1.0"))
	}
	if name := plane.Name("chat"); !regexp.MustCompile(`^tf-acc-chat-[a-z0-9]{5}$`).MatchString(name) || name != plane.Name("chat") {
		t.Errorf("the name is %q", name)
	}
	if _, set := plane.Variables(nil)["image_uri"]; !set {
		t.Error("the image is left to the configurations, which name one that doesn't exist")
	}
}

// violating is set for the process in which TestPlane_breaksContract is meant to fail.
const violating = "AGENTPLANE_TEST_VIOLATING"

// TestPlane_breaksContract sends an undefined request to a plane, in a separate process whose test must fail.
func TestPlane_breaksContract(t *testing.T) {
	t.Parallel()
	if os.Getenv(violating) != "" {
		providertest.NewFrom(t, api.LangSmith, recorded(t, nil)).Call("GET", "/v2/listeners?sort=name", nil, nil)
		return
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), program, "-test.run=^TestPlane_breaksContract$")
	command.Env = append(os.Environ(), violating+"=1")
	output, err := command.CombinedOutput()
	if err == nil || !strings.Contains(string(output), "request GET /v2/listeners?sort=name breaks the contract") {
		t.Errorf("the test ended with %v: %s", err, output)
	}
}
