package bench

import (
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/postgrestest"
)

// runBenchmark runs a benchmark in a process of its own, with little to do, and returns what it prints.
func runBenchmark(t *testing.T, pattern string, variables ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$", "-test.bench="+pattern, "-test.benchtime=1x") //nolint:gosec // This program.
	command.Env = append(os.Environ(), variables...)
	printed, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", pattern, err, printed)
	}
	return string(printed)
}

// TestDevServer_unraced runs the benchmark of the dev server with few runs.
func TestDevServer_unraced(t *testing.T) {
	t.Parallel()
	pattern, wanted := "^BenchmarkDevServer$/^engine=sqlite$", []string{"sqlite: synchronous = full", "/engine=sqlite/ask=page-of-trace", "/engine=sqlite/write=batch"}
	if postgrestest.Wanted() {
		pattern, wanted = "^BenchmarkDevServer$", append(wanted, "postgres: fsync = off, full_page_writes = off, synchronous_commit = on",
			"/engine=postgres/ask=page-of-trace", "/engine=postgres2/write=batch")
	}
	printed := runBenchmark(t, pattern, "AGENTPLANE_BENCH_RUNS=300")
	for _, want := range wanted {
		if !strings.Contains(printed, want) {
			t.Errorf("the benchmark doesn't print %q:\n%s", want, printed)
		}
	}
}

// TestAccTerraform runs the benchmark of Terraform with two resources of each provider: plans must be empty after the apply, and the pass-through
// provider must find the state of the real one.
func TestAccTerraform(t *testing.T) {
	t.Parallel()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("runs a CLI, which needs TF_ACC")
	}
	printed := runBenchmark(t, "^BenchmarkTerraform$", "AGENTPLANE_BENCH_N=2")
	for _, s := range subjects {
		if !strings.Contains(printed, "BenchmarkTerraform/N=2/provider="+s.name) {
			t.Errorf("the benchmark doesn't measure %s:\n%s", s.name, printed)
		}
	}
}

func TestEnviron(t *testing.T) {
	t.Parallel()
	all := []string{"PATH=/bin", "TF_LOG=TRACE", "TF_ACC=1", "AGENTPLANE_API_KEY=k", "LANGSMITH_ENDPOINT=u", "GOGC=400", "GOCACHE=/c"}
	if diff := cmp.Diff([]string{"PATH=/bin", "GOCACHE=/c"}, environ(all)); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
}

// TestLogTrace checks that a trace has the size and the depth that the names of queries say.
func TestLogTrace(t *testing.T) {
	t.Parallel()
	p := startPlane(t)
	if err := logTrace(t.Context(), &p.addresses, 1_200); err != nil {
		t.Fatal(err)
	}
	var stats struct {
		Runs int `json:"run_count"`
	}
	for filter, want := range map[string]int{`eq(is_root, true)`: 1, `eq(name, "step")`: 12, `eq(name, "model")`: 1187} {
		if err := p.call(t.Context(), http.MethodPost, "/runs/stats", object{"filter": filter}, &stats); err != nil || stats.Runs != want {
			t.Errorf("%d runs are %s, want %d: %v", stats.Runs, filter, want, err)
		}
	}
}
