package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEnviron(t *testing.T) {
	t.Parallel()
	all := []string{"PATH=/bin", "TF_LOG=TRACE", "TF_ACC=1", "AGENTPLANE_API_KEY=k", "LANGSMITH_ENDPOINT=u", "GOGC=400", "GOCACHE=/c"}
	if diff := cmp.Diff([]string{"PATH=/bin", "GOCACHE=/c"}, environ(all)); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
	if len(all) != 7 || all[1] != "TF_LOG=TRACE" {
		t.Errorf("environ changed its argument: %v", all)
	}
}

// TestBrokenProvider checks that the error of a provider that doesn't compile says why.
func TestBrokenProvider(t *testing.T) {
	t.Parallel()
	_, err := tools{root: t.TempDir(), dir: t.TempDir()}.build(t.Context(), "minimal")
	if err == nil || !strings.Contains(err.Error(), "go build") {
		t.Errorf("error = %v, want one with go build", err)
	}
}

// TestDeployments checks the generated configuration.
func TestDeployments(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]int{"    SETTING_": 10, "    SECRET_": 5, "memory_limit_mb": 1} {
		if got := strings.Count(deployments, line); got != want {
			t.Errorf("%q occurs %d times, want %d", line, got, want)
		}
	}
}
