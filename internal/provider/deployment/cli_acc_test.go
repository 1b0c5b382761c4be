package deployment_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// cli runs Terraform, or OpenTofu, with a provider in a separate process: for what only processes can show, such as
// signals and exit codes. The provider uses the system's clock, the dev server the test's, so a rollout ends when
// the test advances the clock.
type cli struct {
	t         *testing.T
	plane     *providertest.Plane
	gate      *gate
	path      string
	directory string
	env       []string
}

// tooLong is much longer than any of the commands takes.
const tooLong = 2 * time.Minute

func buildProvider(t *testing.T) string {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("Acceptance tests skipped unless env 'TF_ACC' set")
	}
	return providertest.Build(t, "../../..")
}

func newCLI(t *testing.T, provider string) *cli {
	t.Helper()
	c := &cli{t: t, plane: providertest.NewDev(t, unlagged), path: os.Getenv("TF_ACC_TERRAFORM_PATH"), directory: t.TempDir()}
	c.gate = gateTo(t, c.plane)
	for _, name := range []string{"terraform", "tofu"} {
		if found, err := exec.LookPath(name); err == nil && c.path == "" {
			c.path = found
		}
	}
	if err := os.CopyFS(c.directory, os.DirFS("testdata/fail_cli")); err != nil {
		t.Fatal(err)
	}
	settings := filepath.Join(c.directory, "cli.tfrc")
	overrides := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"agentplane/agentplane\" = %q\n  }\n  direct {}\n}\n", provider)
	if err := os.WriteFile(settings, []byte(overrides), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "TF_") && !strings.HasPrefix(variable, "AGENTPLANE_") {
			c.env = append(c.env, variable)
		}
	}
	c.env = append(c.env, "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1", "TF_INPUT=0", "TF_CLI_ARGS=-no-color", "TF_CLI_CONFIG_FILE="+settings,
		"TF_VAR_listener_id="+c.plane.ListenerID, "TF_VAR_k8s_namespace="+c.plane.K8sNamespace)
	c.env = append(c.env, c.plane.Environ()...)
	return c
}

// run returns the command's output and whether it succeeded. When interrupt is closed, the command gets a SIGINT.
func (c *cli) run(interrupt <-chan struct{}, args ...string) (string, bool) {
	c.t.Helper()
	var output bytes.Buffer
	command := exec.CommandContext(c.t.Context(), c.path, args...)
	command.Dir, command.Env, command.Stdout, command.Stderr = c.directory, c.env, &output, &output
	if err := command.Start(); err != nil {
		c.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	late := time.NewTimer(tooLong)
	defer late.Stop()
	for {
		select {
		case <-interrupt:
			interrupt = nil
			if err := command.Process.Signal(os.Interrupt); err != nil {
				c.t.Error(err)
			}
		case err := <-ended:
			return strings.Join(strings.Fields(output.String()), " "), err == nil
		case <-late.C:
			killed := errors.Join(command.Process.Kill(), <-ended)
			c.t.Log(killed)
			c.t.Fatalf("%v took longer than %s, output: %s", args, tooLong, output.String())
		}
	}
}

// expect runs a command, and checks its exit status and its output.
func (c *cli) expect(succeeds bool, says string, interrupt <-chan struct{}, args ...string) {
	c.t.Helper()
	output, ok := c.run(interrupt, args...)
	if ok != succeeds || !strings.Contains(output, says) {
		c.t.Fatalf("%[1]v: succeeded = %[4]t, want %[2]t and %[3]q in: %[5]s", args, succeeds, says, ok, output)
	}
}

// signalAt returns a channel that is closed at a request of the pattern, after skip others.
func (c *cli) signalAt(skip int, pattern string) <-chan struct{} {
	interrupt := make(chan struct{})
	c.gate.after(skip, pattern, 1, meanwhile(func() { close(interrupt) }))
	return interrupt
}

// endAt finishes all rollouts and deletions at a request.
func (c *cli) endAt(skip int, pattern string) {
	c.gate.after(skip, pattern, 1, meanwhile(func() { c.plane.Clock.Advance(providertest.Rollout) }))
}

// instance is a deployment in a state file.
type instance struct {
	Status     string `json:"status"`
	Attributes struct {
		ID                   string  `json:"id"`
		LatestRevisionID     string  `json:"latest_revision_id"`
		LatestRevisionStatus *string `json:"latest_revision_status"`
	} `json:"attributes"`
}

// instances returns the deployments in the state file, and its content. The file may not exist yet.
func (c *cli) instances() ([]instance, string) {
	c.t.Helper()
	content, err := os.ReadFile(filepath.Join(c.directory, "terraform.tfstate"))
	if errors.Is(err, os.ErrNotExist) || len(content) == 0 {
		return nil, ""
	}
	if err != nil {
		c.t.Fatal(err)
	}
	var state struct {
		Resources []struct {
			Instances []instance `json:"instances"`
		} `json:"resources"`
	}
	if err := json.Unmarshal(content, &state); err != nil {
		c.t.Fatal(err)
	}
	var all []instance
	for _, resource := range state.Resources {
		all = append(all, resource.Instances...)
	}
	return all, string(content)
}

// expectState expects the deployment in the state file, tainted or not, and the given writes since the last reset.
func (c *cli) expectState(tainted bool, status string, posts, patches, deletes int) {
	c.t.Helper()
	instances, content := c.instances()
	if len(instances) != 1 {
		c.t.Fatalf("state = %s, want one deployment", content)
	}
	instance := instances[0]
	if current := only(c.plane); instance.Attributes.ID != current.ID || instance.Attributes.LatestRevisionID != *current.LatestRevisionID {
		c.t.Errorf("deployment in state = %v, want the service's: %v", instance, current)
	}
	if (instance.Status == "tainted") != tainted {
		c.t.Errorf("status in state = %[2]q, want tainted: %[1]t", tainted, instance.Status)
	}
	if got := instance.Attributes.LatestRevisionStatus; got == nil || *got != status {
		c.t.Errorf("latest_revision_status must be %s in state: %s", status, content)
	}
	for pattern, want := range map[string]int{creation: posts, changing: patches, deletion: deletes} {
		if err := c.gate.counted(pattern, want)(nil); err != nil {
			c.t.Error(err)
		}
	}
}

// destroyAll destroys everything without waiting.
func (c *cli) destroyAll() {
	c.t.Helper()
	c.gate.when(deletion, 1, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
		pass.ServeHTTP(w, r)
		c.plane.Clock.Advance(providertest.Rollout)
	})
	c.expect(true, "1 destroyed", nil, "destroy", "-auto-approve")
	if err := checkNoneLeft(c.plane)(nil); err != nil {
		c.t.Error(err)
	}
}

func TestAccCLI(t *testing.T) {
	t.Parallel()
	provider := buildProvider(t)
	apply, destroy := []string{"apply", "-auto-approve"}, []string{"destroy", "-auto-approve"}

	// Ctrl-C during a rollout and during the deletion.
	t.Run("interrupted", func(t *testing.T) {
		t.Parallel()
		c := newCLI(t, provider)
		c.expect(false, `Stopped waiting for deployment "tf-acc-fail-cli"`, c.signalAt(1, polling), apply...)
		c.expectState(false, "QUEUED", 1, 0, 0)
		// The next apply resumes waiting for the rollout. One poll is from the refresh.
		c.gate.reset()
		c.endAt(2, polling)
		c.expect(true, "0 added, 1 changed, 0 destroyed", nil, apply...)
		c.expectState(false, "DEPLOYED", 0, 0, 0)

		// The same for an update.
		c.env = append(c.env, "TF_VAR_image_uri=registry.example.com/agents/chat:2.0.0")
		c.gate.reset()
		c.expect(false, "Stopped waiting", c.signalAt(1, polling), apply...)
		c.expectState(false, "QUEUED", 0, 1, 0)
		c.endAt(2, polling)
		c.expect(true, "0 added, 1 changed, 0 destroyed", nil, apply...)
		c.expectState(false, "DEPLOYED", 0, 1, 0)
		c.expect(true, "No changes.", nil, "plan", "-detailed-exitcode")

		// The first read is the refresh's. The deletion would wait forever.
		c.expect(false, "Cannot delete deployment", c.signalAt(3, reading), destroy...)
		c.expectState(false, "DEPLOYED", 0, 1, 1)
		c.plane.Clock.Advance(providertest.Rollout)
		c.expect(true, "", nil, destroy...)
		if err := checkNoneLeft(c.plane)(nil); err != nil || c.gate.count(deletion) != 1 {
			t.Errorf("want nothing left after one deletion: %v, %d deletions", err, c.gate.count(deletion))
		}
	})

	// A postcondition fails the apply without a taint: a failed deployment is repaired.
	t.Run("kept with a postcondition", func(t *testing.T) {
		t.Parallel()
		c := newCLI(t, provider)
		c.env = append(c.env, "TF_VAR_on_failed_create=keep", "TF_VAR_demanded_status=DEPLOYED")
		if c.plane.Dialect().ProjectsBlockNames { // It has to be destroyed and created again.
			c.env = append(c.env, "TF_VAR_delete_tracing_project=true")
		}
		c.plane.Arm(rolloutFault(api.RevisionDeploying, "out of quota"))()
		c.endAt(1, polling)
		c.expect(false, "The newest revision is DEPLOY_FAILED.", nil, apply...)
		c.expectState(false, "DEPLOY_FAILED", 1, 0, 0)
		c.gate.reset()
		c.endAt(3, polling)
		c.expect(true, "0 added, 1 changed, 0 destroyed", nil, apply...)
		c.expectState(false, "DEPLOYED", 0, 1, 0)
		c.expect(true, "No changes.", nil, "plan", "-detailed-exitcode")
		c.destroyAll()
	})

	// A creation that failed is tainted. A protected, tainted deployment can't be replaced or changed until it is untainted; then it is repaired.
	t.Run("protected and tainted", func(t *testing.T) {
		t.Parallel()
		c := newCLI(t, provider)
		c.env = append(c.env, "TF_VAR_deletion_protection=true")
		c.plane.Arm(rolloutFault(api.RevisionDeploying, "out of quota"))()
		c.endAt(1, polling)
		c.expect(false, "terraform untaint", nil, apply...)
		c.env = append(c.env, "TF_VAR_deletion_protection=false")
		c.expect(true, "there is nothing to do, unless deletion_protection is true: then run `terraform untaint`", nil, "plan")
		for _, refused := range [][]string{apply, destroy} {
			c.expect(false, "run `terraform untaint` with its address first", nil, refused...)
			c.expectState(true, "DEPLOY_FAILED", 1, 0, 0)
		}
		c.expect(true, "", nil, "untaint", address)
		c.gate.reset()
		c.endAt(3, polling)
		c.expect(true, "0 added, 1 changed, 0 destroyed", nil, apply...)
		c.expectState(false, "DEPLOYED", 0, 1, 0)
		c.destroyAll()
	})

	t.Run("logs", func(t *testing.T) {
		t.Parallel()
		testCLILogs(t, provider)
	})
}
