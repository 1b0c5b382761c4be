package providertest_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// cli is the real CLI with the provider as it would be installed, in an empty directory.
type cli struct {
	t     *testing.T
	plane *providertest.Plane
	// path is the CLI's, provider is the directory of the provider, and directory the working directory.
	path, provider, directory string
	environment               []string
}

// startCLI builds the provider, for an empty directory. The CLI finds it without an init.
func startCLI(t *testing.T, plane *providertest.Plane) *cli {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("Acceptance tests skipped unless env 'TF_ACC' set")
	}
	c := &cli{t: t, plane: plane, path: terraformPath(t), directory: t.TempDir(), provider: providertest.Build(t, root)}
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "TF_") && !strings.HasPrefix(variable, "AGENTPLANE_") {
			c.environment = append(c.environment, variable)
		}
	}
	c.environment = append(c.environment, "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1", "TF_INPUT=0", "TF_CLI_ARGS=-no-color")
	c.environment = append(c.environment, plane.Environ()...)
	c.installFrom(fmt.Sprintf("dev_overrides {\n    \"agentplane/agentplane\" = %q\n  }\n  direct {}", c.provider))
	return c
}

// installFrom says where the CLI finds providers.
func (c *cli) installFrom(methods string) {
	c.t.Helper()
	settings := filepath.Join(c.t.TempDir(), "cli.tfrc")
	if err := os.WriteFile(settings, []byte("provider_installation {\n  "+methods+"\n}\n"), 0o600); err != nil {
		c.t.Fatal(err)
	}
	c.environment = append(c.environment, "TF_CLI_CONFIG_FILE="+settings)
}

// offer makes an init install the provider, as the newest of these versions that the configuration allows. All are the same program.
func (c *cli) offer(versions ...string) {
	c.t.Helper()
	mirror := c.t.TempDir()
	for _, host := range []string{"registry.terraform.io", "registry.opentofu.org"} {
		for _, version := range versions {
			directory := filepath.Join(mirror, host, "agentplane", "agentplane", version)
			if err := os.MkdirAll(directory, 0o700); err != nil {
				c.t.Fatal(err)
			}
			if err := os.Symlink(c.provider, filepath.Join(directory, runtime.GOOS+"_"+runtime.GOARCH)); err != nil {
				c.t.Fatal(err)
			}
		}
	}
	c.installFrom(fmt.Sprintf("filesystem_mirror {\n    path = %q\n  }", mirror))
}

// installRandom makes the CLI find the stand-in for hashicorp/random without an init, beside the provider.
func (c *cli) installRandom() {
	c.t.Helper()
	program, err := randomProgram()
	directory := c.t.TempDir()
	if err == nil {
		err = os.WriteFile(filepath.Join(directory, "terraform-provider-random"), program, 0o700)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	c.installFrom(fmt.Sprintf("dev_overrides {\n    \"agentplane/agentplane\" = %q\n    \"hashicorp/random\" = %q\n  }\n  direct {}", c.provider, directory))
}

// attach lets all further commands use one process of the provider. They take half the CPU time then.
func (c *cli) attach() {
	c.t.Helper()
	provider := exec.CommandContext(c.t.Context(), filepath.Join(c.provider, "terraform-provider-agentplane"), "-debug")
	provider.Env = c.environment
	output, err := provider.StdoutPipe()
	if err == nil {
		err = provider.Start()
	}
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = provider.Wait() }) // The end of the context has killed it.
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		_, text, found := strings.Cut(lines.Text(), "TF_REATTACH_PROVIDERS='")
		if !found {
			continue
		}
		var address map[string]json.RawMessage
		if err := json.Unmarshal([]byte(strings.TrimSuffix(text, "'")), &address); err != nil {
			c.t.Fatal(err)
		}
		address["registry.opentofu.org/agentplane/agentplane"] = address["registry.terraform.io/agentplane/agentplane"]
		both, err := json.Marshal(address)
		if err != nil {
			c.t.Fatal(err)
		}
		c.environment = append(c.environment, "TF_REATTACH_PROVIDERS="+string(both))
		return
	}
	c.t.Fatalf("the provider doesn't print its address: %v", lines.Err())
}

func (c *cli) write(name, content string) {
	c.t.Helper()
	file := filepath.Join(c.directory, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

// shell runs commands as a page shows them, and returns what a person sees. Questions are answered with yes.
func (c *cli) shell(commands string, environment ...string) string {
	c.t.Helper()
	bin := c.t.TempDir()
	if err := os.Symlink(c.path, filepath.Join(bin, "terraform")); err != nil {
		c.t.Fatal(err)
	}
	shell := exec.CommandContext(c.t.Context(), "bash", "-euo", "pipefail", "-c", commands)
	shell.Dir = c.directory
	shell.Env = append(slices.Clone(c.environment), "TF_CLI_ARGS_apply=-auto-approve", "TF_CLI_ARGS_destroy=-auto-approve",
		"PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	shell.Env = append(shell.Env, environment...)
	output, err := shell.CombinedOutput()
	if err != nil {
		c.t.Fatalf("%v\n%s\n%s", err, commands, output)
	}
	return string(output)
}

// needsTerraform skips the test unless the CLI is Terraform 1.minor or newer: what OpenTofu doesn't have.
func (c *cli) needsTerraform(minor int) {
	c.t.Helper()
	c.needs(minor, math.MaxInt)
}

// needsTofu skips the test unless the CLI is OpenTofu 1.minor or newer: what Terraform doesn't have.
func (c *cli) needsTofu(minor int) {
	c.t.Helper()
	if !c.atLeast(math.MaxInt, minor) {
		c.t.Skipf("needs OpenTofu 1.%d, and this is %s", minor, c.version())
	}
}

// needs skips the test unless the CLI is Terraform 1.terraform, OpenTofu 1.tofu, or newer. Like providertest.VersionChecks, it
// fails the test instead while AGENTPLANE_TEST_NEXT is set.
func (c *cli) needs(terraform, tofu int) {
	c.t.Helper()
	if terraform > 11 {
		providertest.RequireNextName(c.t)
	}
	switch {
	case c.atLeast(terraform, tofu):
	case os.Getenv("AGENTPLANE_TEST_NEXT") != "":
		c.t.Fatalf("needs Terraform 1.%d", terraform)
	default:
		c.t.Skipf("needs Terraform 1.%d or OpenTofu 1.%d, and this is %s", terraform, tofu, c.version())
	}
}

// atLeast reports whether the CLI is Terraform 1.terraform, OpenTofu 1.tofu, or newer.
func (c *cli) atLeast(terraform, tofu int) bool {
	c.t.Helper()
	var product string
	var minor int
	if _, err := fmt.Sscanf(c.version(), "%s v1.%d.", &product, &minor); err != nil {
		c.t.Fatal(err)
	}
	return product == "Terraform" && minor >= terraform || product == "OpenTofu" && minor >= tofu
}

// version is the first line that the CLI says of itself.
func (c *cli) version() string {
	c.t.Helper()
	output, err := c.command("version").Output()
	if err != nil {
		c.t.Fatalf("%s: %v", c.path, err)
	}
	line, _, _ := strings.Cut(string(output), "\n")
	return line
}

func (c *cli) command(arguments ...string) *exec.Cmd {
	command := exec.CommandContext(c.t.Context(), c.path, arguments...)
	command.Dir, command.Env = c.directory, c.environment
	return command
}

// run returns what a person sees of a command, which must end with the exit code.
func (c *cli) run(want int, arguments ...string) string {
	c.t.Helper()
	output, err := c.command(arguments...).CombinedOutput()
	code := 0
	if ended := (*exec.ExitError)(nil); errors.As(err, &ended) {
		code = ended.ExitCode()
	} else if err != nil {
		c.t.Fatal(err)
	}
	if code != want {
		c.t.Fatalf("%s ended with %d:\n%s", arguments, code, output)
	}
	return string(output)
}
