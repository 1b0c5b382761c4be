package chaos

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
)

// cli is a real CLI, with a provider in this process, which uses its clock.
type cli struct {
	t         *testing.T
	path      string
	directory string
	provider  func() (tfprotov6.ProviderServer, error)
}

// The addresses at which CLIs look for a provider without a configured source.
var sources = []string{"registry.terraform.io/hashicorp/agentplane", "registry.opentofu.org/hashicorp/agentplane"}

func newCLI(t *testing.T, provider func() (tfprotov6.ProviderServer, error)) *cli {
	t.Helper()
	path := os.Getenv("TF_ACC_TERRAFORM_PATH")
	for _, name := range []string{"terraform", "tofu"} {
		if found, err := exec.LookPath(name); err == nil && path == "" {
			path = found
		}
	}
	if path == "" {
		t.Fatal("there is neither Terraform nor OpenTofu: set TF_ACC_TERRAFORM_PATH")
	}
	return &cli{t: t, path: path, directory: t.TempDir(), provider: provider}
}

// run runs a command with a provider of its own, and returns what it wrote. Errors are without frames and line breaks.
func (c *cli) run(args ...string) ([]byte, error) {
	ctx, cancel := context.WithCancel(c.t.Context())
	defer cancel()
	served, err := c.serve(ctx)
	if err != nil {
		return nil, err
	}
	var output, wrong bytes.Buffer
	command := exec.CommandContext(ctx, c.path, args...)
	command.Dir, command.Stdout, command.Stderr = c.directory, &output, &wrong
	command.Env = append(os.Environ(), "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1", "TF_INPUT=0", "TF_CLI_ARGS=-no-color",
		"TF_CLI_CONFIG_FILE="+os.DevNull, "TF_REATTACH_PROVIDERS="+served)
	if err := command.Run(); err != nil {
		text := strings.Join(strings.Fields(strings.NewReplacer("│", "", "╷", "", "╵", "").Replace(wrong.String())), " ")
		return nil, fmt.Errorf("%s: %w: %s", args[0], err, text)
	}
	return output.Bytes(), nil
}

// serve serves a provider until ctx ends, and returns its reattach configuration.
func (c *cli) serve(ctx context.Context) (string, error) {
	server, err := c.provider()
	if err != nil {
		return "", err
	}
	config, ended := channelOf(tf6server.WithDebug), make(chan struct{})
	failed := make(chan error, 1)
	go func() {
		failed <- tf6server.Serve(sources[0], func() tfprotov6.ProviderServer { return server },
			tf6server.WithDebug(ctx, config, ended), tf6server.WithLoggingSink(c.t), tf6server.WithoutLogStderrOverride())
	}()
	select {
	case err := <-failed:
		return "", errors.Join(errors.New("the provider is not served"), err)
	case at := <-config:
		entry := map[string]any{
			"Protocol": at.Protocol, "ProtocolVersion": at.ProtocolVersion, "Pid": at.Pid, "Test": true,
			"Addr": map[string]string{"Network": at.Addr.Network(), "String": at.Addr.String()},
		}
		all := map[string]any{}
		for _, source := range sources {
			all[source] = entry
		}
		encoded, err := json.Marshal(all)
		return string(encoded), err
	}
}

// channelOf makes a channel for an option whose element type only an indirect dependency exports.
func channelOf[T any](func(context.Context, chan T, chan struct{}) tf6server.ServeOpt) chan T {
	return make(chan T, 1)
}
