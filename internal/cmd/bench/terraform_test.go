package bench

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// commands are those of a life of resources, in this order. Plans of existing resources must be empty.
var commands = []struct {
	name string
	args []string
}{
	{"plan-new", []string{"plan", "-out=saved.tfplan"}},
	{"apply", []string{"apply", "saved.tfplan"}},
	{"plan", []string{"plan", "-detailed-exitcode"}},
	{"plan-only", []string{"plan", "-refresh=false", "-detailed-exitcode"}},
	{"plan-change", []string{"plan", "-var=revision=2"}},
	{"destroy", []string{"destroy", "-auto-approve"}},
}

// BenchmarkTerraform creates, plans and destroys resources, with the commands of Terraform or OpenTofu. The numbers of resources are those in
// AGENTPLANE_BENCH_N. Rollouts of the dev server, which is in this process, take no time.
func BenchmarkTerraform(b *testing.B) {
	cli, programs := os.Getenv("TF_ACC_TERRAFORM_PATH"), b.TempDir()
	if cli == "" {
		b.Fatal("TF_ACC_TERRAFORM_PATH isn't set: make bench sets it")
	}
	version, err := exec.CommandContext(b.Context(), cli, "version").Output() //nolint:gosec // The CLI of the tests.
	if err != nil {
		b.Fatal(err)
	}
	first, _, _ := strings.Cut(string(version), "\n")
	fmt.Printf("cli: %s\n", first)
	for word := range strings.FieldsSeq(cmp.Or(os.Getenv("AGENTPLANE_BENCH_N"), "1 100 500")) {
		amount, err := strconv.Atoi(word)
		if err != nil {
			b.Fatal(err)
		}
		state := filepath.Join(programs, word+".tfstate")
		for _, s := range subjects {
			b.Run(fmt.Sprintf("N=%d/provider=%s", amount, s.name), func(b *testing.B) { live(b, cli, programs, s, amount, state) })
		}
	}
}

// live measures each command. The state of the real provider's resources is kept for the pass-through provider.
func live(b *testing.B, cli, programs string, s subject, amount int, state string) {
	b.Helper()
	p := startPlane(b)
	t := newTerraform(b, cli, programs, s, append(p.environ(), fmt.Sprintf("TF_VAR_amount=%d", amount), "PASSTHROUGH_STATE="+state))
	measured := map[string]float64{}
	p.seen()
	for b.Loop() {
		for _, c := range commands {
			wall, cpu := t.run(b, append(c.args, "-no-color")...)
			measured[c.name+"-sec"] += wall.Seconds()
			if c.name == "plan" {
				measured["plan-cpu-sec"] += cpu.Seconds()
			}
			if n := p.seen(); n > 0 {
				measured[c.name+"-requests"] += float64(n)
			}
			if c.name == "apply" && s.name == "agentplane" {
				kept, err := os.ReadFile(filepath.Join(t.dir, "terraform.tfstate"))
				if err := errors.Join(err, os.WriteFile(state, kept, 0o600)); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	for unit, sum := range measured {
		b.ReportMetric(sum/float64(b.N), unit)
	}
	b.ReportMetric(0, "ns/op") // The sum means nothing.
}

// build returns the path of a program, which it builds on the first call, unless a run of all tests has built it for all. The CLI searches for
// providers by their names.
func build(t testing.TB, programs, pkg, name string) string {
	t.Helper()
	built := filepath.Join(programs, path.Base(pkg), name)
	for _, program := range []string{built, filepath.Join(os.Getenv("AGENTPLANE_TEST_PROVIDER"), name)} {
		if _, err := os.Stat(program); err == nil {
			return program
		}
	}
	command := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", built, pkg)
	command.Dir = "../../.."
	if printed, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", command, err, printed)
	}
	return built
}

// terraform is the CLI in a directory.
type terraform struct {
	cli, dir string
	env      []string
}

// newTerraform prepares a directory with a subject's configuration, and its provider. variables are added to the environment.
func newTerraform(t testing.TB, cli, programs string, s subject, variables []string) terraform {
	t.Helper()
	dir, overrides := t.TempDir(), ""
	if s.pkg != "" {
		plugin := build(t, programs, s.pkg, "terraform-provider-"+path.Base(s.source))
		overrides = fmt.Sprintf("    %q = %q\n", s.source, filepath.Dir(plugin))
	}
	for name, text := range map[string]string{
		"cli.tfrc": "provider_installation {\n  dev_overrides {\n" + overrides + "  }\n  direct {}\n}\n", "main.tf": s.config,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := append(environ(os.Environ()), variables...)
	return terraform{cli, dir, append(env, "TF_CLI_CONFIG_FILE="+filepath.Join(dir, "cli.tfrc"), "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1", "TF_INPUT=0")}
}

// run runs a command. CPU time is that of the CLI and the provider.
func (t terraform) run(b testing.TB, args ...string) (wall, cpu time.Duration) {
	b.Helper()
	command := exec.CommandContext(b.Context(), t.cli, args...)
	command.Dir, command.Env = t.dir, t.env
	began := time.Now()
	printed, err := command.CombinedOutput()
	wall = time.Since(began)
	if err != nil {
		b.Fatalf("terraform %s: %v: %s", strings.Join(args, " "), err, printed)
	}
	return wall, command.ProcessState.UserTime() + command.ProcessState.SystemTime()
}

// environ drops the variables that would influence the measurements: those of the CLI, of the provider and of Go's runtime.
func environ(all []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(variable string) bool {
		return slices.ContainsFunc([]string{"TF_", "AGENTPLANE_", "LANGSMITH_", "LANGCHAIN_", "GOGC=", "GOMEMLIMIT=", "GOMAXPROCS=", "GODEBUG="},
			func(prefix string) bool { return strings.HasPrefix(variable, prefix) })
	})
}
