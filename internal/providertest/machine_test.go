package providertest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// machine is where a test follows a page of the documentation. It differs from a reader's fresh machine in this, and in nothing else:
//
//   - The command terraform is the CLI under test. The reader answers its questions with yes, and sees no colours; the CLI asks for no
//     variables, which a page has to set, and for no newer version of itself.
//   - opa is the version that .ci/opa.mod pins.
//   - git clones this repository from its directory, unless the reader has a clone there: by a link, or as CLONE says. go build copies
//     programs that were built before, and go finds what it has downloaded and compiled, although the home directory is empty.
//   - With AGENTPLANE_TEST_RELEASE, curl gets the files of a release on GitHub from that directory.
//   - In another dialect than the neutral one, the dev server has this dialect, and the reader has set the variable dialect.
type machine struct {
	// directory is where the reader is at first, and memory is a file with what the shell remembers between two blocks.
	directory, memory string
	environment       []string
	dialect           *api.Dialect
}

// startMachine skips a test on a machine that lacks one of these programs.
func startMachine(t *testing.T, programs ...string) *machine {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("Acceptance tests skipped unless env 'TF_ACC' set")
	}
	for _, program := range append(programs, "bash", "curl") {
		if _, err := exec.LookPath(program); err != nil && program != "opa" {
			if os.Getenv("AGENTPLANE_TEST_NEXT") != "" {
				t.Fatalf("the page needs %s: %v", program, err)
			}
			t.Skipf("the page needs %s: %v", program, err)
		}
	}
	goCommand, err := exec.LookPath("go")
	gitCommand, noGit := exec.LookPath("git")
	curlCommand, noCurl := exec.LookPath("curl")
	if err := errors.Join(err, noGit, noCurl); err != nil {
		t.Fatal(err)
	}
	home, bin, clone := t.TempDir(), t.TempDir(), absolute(t, root)
	m := &machine{directory: t.TempDir(), memory: filepath.Join(t.TempDir(), "memory"), dialect: testedDialect(t)}
	for _, variable := range os.Environ() {
		if !ownVariable.MatchString(variable) {
			m.environment = append(m.environment, variable)
		}
	}
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOENV"} {
		value, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		m.environment = append(m.environment, name+"="+strings.TrimSpace(string(value)))
	}
	m.environment = append(m.environment, "HOME="+home, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"),
		"CHECKPOINT_DISABLE=1", "TF_INPUT=0", "TF_CLI_ARGS=-no-color", "TF_CLI_ARGS_apply=-auto-approve", "TF_CLI_ARGS_destroy=-auto-approve")
	if m.dialect != api.Neutral {
		m.environment = append(m.environment, "TF_VAR_dialect="+m.dialect.Name)
	}
	scripts := map[string]string{
		"terraform": fmt.Sprintf("exec '%s' \"$@\"", terraformPath(t)),
		"git": fmt.Sprintf("test \"$*\" = 'clone https://github.com/agentplane/terraform-provider-agentplane' || exec '%s' \"$@\"\n"+
			"test -e terraform-provider-agentplane || ${CLONE:-ln -s} '%s' terraform-provider-agentplane", gitCommand, clone), // go install also calls it.
		"go": fmt.Sprintf("test \"$1\" = build || exec '%s' \"$@\"\nwhile test \"$1\" != -o; do shift; done\n"+
			"case $3 in .) built=terraform-provider-agentplane ;; ./internal/cmd/devserver) built=devserver ;; esac\ncp '%s'/$built \"$2\"", goCommand, absolute(t, providertest.Build(t, root))),
	}
	if release := os.Getenv(releaseVariable); release != "" {
		scripts["curl"] = fmt.Sprintf("for argument; do\n"+
			"case $argument in https://github.com/*/releases/download/*) argument=\"file://%s/${argument##*/}\" ;; esac\n"+
			"shift\nset -- \"$@\" \"$argument\"\ndone\nexec '%s' \"$@\"", release, curlCommand)
	}
	for name, script := range scripts {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\nset -eu\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if slices.Contains(programs, "opa") {
		if err := os.Symlink(findOPA(t), filepath.Join(bin, "opa")); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		const stop = "; test ! -e devserver.out || { kill $server; for _ in $(seq 100); do kill -0 $server || break; sleep 0.1; done; } 2>/dev/null"
		if told, err := m.run(t, "cd '"+m.directory+"'; for d in .agentplane */.agentplane; do sh '"+clone+"/.github/actions/setup/setup.sh' stop -directory $d; done"+stop); err != nil {
			t.Errorf("%v\n%s", err, told)
		}
	})
	return m
}

// releaseVariable names the directory with the files of a release.
const releaseVariable = "AGENTPLANE_TEST_RELEASE"

// ownVariable matches variables of the environment that a reader doesn't have.
var ownVariable = regexp.MustCompile(`^(TF_|AGENTPLANE_|GOPATH=|GOBIN=)`)

// run runs a block of commands where the last one has ended, and returns what a person sees.
func (m *machine) run(t *testing.T, commands string) (string, error) {
	t.Helper()
	if m.dialect != api.Neutral {
		commands = strings.ReplaceAll(commands, " -seed", " -seed -dialect "+m.dialect.Name)
	}
	const remember = `trap '{ declare -p; declare -f; printf "cd %q\n" "$PWD"; } >"$MEMORY"' EXIT; . "$MEMORY" 2>/dev/null || true; set -meuo pipefail` + "\n"
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute) // That of the test has ended when what it started is stopped.
	defer cancel()
	shell := exec.CommandContext(ctx, "bash", "-c", remember+commands)
	shell.Dir, shell.Env = m.directory, slices.Concat(m.environment, []string{"MEMORY=" + m.memory})
	shell.WaitDelay = time.Second // What goes on in the background has the same output.
	output, err := shell.CombinedOutput()
	return string(output), err
}

// testedDialect is the dialect in which the tests run.
func testedDialect(t *testing.T) *api.Dialect {
	t.Helper()
	dialect, err := api.ParseDialect(os.Getenv("AGENTPLANE_TEST_DIALECT"))
	if err != nil {
		t.Fatal(err)
	}
	return dialect
}

// terraformPath is the CLI under test.
func terraformPath(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("TF_ACC_TERRAFORM_PATH"); path != "" {
		return path
	}
	path, err := exec.LookPath("terraform")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// findOPA returns the path of OPA. It is built once, from the module that .ci/opa.mod pins.
func findOPA(t *testing.T) string {
	t.Helper()
	find := exec.CommandContext(t.Context(), "go", "tool", "-modfile=.ci/opa.mod", "-n", "opa")
	find.Dir = root
	program, err := find.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(program))
}
