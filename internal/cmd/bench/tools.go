package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// tools finds and builds the programs that are measured.
type tools struct {
	// root is the root of the module, and dir where programs are built and the CLI works.
	root, dir string
	// cli is Terraform or OpenTofu.
	cli string
}

// program is a program to build: its package and its name. The CLI searches for providers by their names.
type program struct{ pkg, name string }

// programs are the providers and the dev server, keyed by the names of the directories in which they are built.
var programs = map[string]program{
	"real":        {".", "terraform-provider-agentplane"},
	"passthrough": {"./internal/cmd/bench/passthrough", "terraform-provider-agentplane"},
	"minimal":     {"./internal/cmd/bench/minimal", "terraform-provider-minimal"},
	"devserver":   {"./internal/cmd/devserver", "devserver"},
}

// newTools finds the CLI. It must run in the root of the module.
func newTools(ctx context.Context, dir string) (tools, error) {
	cli := strings.TrimSpace(output(ctx, ".ci/cli"))
	if cli == "" {
		return tools{}, errors.New(".ci/cli finds neither Terraform nor OpenTofu: run make bench in the root of the repository")
	}
	return tools{root: ".", dir: dir, cli: cli}, nil
}

// build returns the path of a program, building it on the first call.
func (t tools) build(ctx context.Context, name string) (string, error) {
	built := filepath.Join(t.dir, name, programs[name].name)
	if _, err := os.Stat(built); err == nil {
		return built, nil
	}
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", built, programs[name].pkg) //nolint:gosec // Constants.
	build.Dir = t.root
	if printed, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w: %s", build, err, printed)
	}
	return built, nil
}

// terraform returns the CLI in a new directory with a subject's configuration and provider. variables are added to its
// environment.
func (t tools) terraform(ctx context.Context, s subject, variables []string) (*terraform, error) {
	dir, err := os.MkdirTemp(t.dir, "work-")
	if err != nil {
		return nil, err
	}
	cli := &terraform{path: t.cli, dir: dir}
	overrides := ""
	if s.provider != "" {
		if cli.plugin, err = t.build(ctx, s.provider); err != nil {
			return nil, err
		}
		overrides = fmt.Sprintf("    %q = %q\n", s.source, filepath.Dir(cli.plugin))
	}
	settings := filepath.Join(dir, "cli.tfrc")
	cli.env = append(environ(os.Environ()), variables...)
	cli.env = append(cli.env, "TF_CLI_CONFIG_FILE="+settings, "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1", "TF_INPUT=0")
	return cli, errors.Join(
		os.WriteFile(settings, []byte("provider_installation {\n  dev_overrides {\n"+overrides+"  }\n  direct {}\n}\n"), 0o600),
		os.WriteFile(filepath.Join(dir, "main.tf"), []byte(s.config), 0o600),
	)
}

// environ drops the variables that would influence the measurements: those of the CLI, of the provider and of Go's runtime.
func environ(all []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(variable string) bool {
		for _, prefix := range []string{"TF_", "AGENTPLANE_", "LANGSMITH_", "LANGCHAIN_", "GOGC=", "GOMEMLIMIT=", "GOMAXPROCS=", "GODEBUG="} {
			if strings.HasPrefix(variable, prefix) {
				return true
			}
		}
		return false
	})
}
