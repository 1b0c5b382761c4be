package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// testTools uses the CLI of the acceptance tests. With TF_ACC set, a missing CLI is an error.
func testTools(t *testing.T) tools {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("runs a CLI, which needs TF_ACC")
	}
	cli := os.Getenv("TF_ACC_TERRAFORM_PATH")
	if cli == "" {
		var err error
		if cli, err = exec.LookPath("terraform"); err != nil {
			t.Fatalf("TF_ACC_TERRAFORM_PATH isn't set, and no terraform is in PATH: %v", err)
		}
	}
	return tools{root: "../../..", dir: t.TempDir(), cli: cli}
}

// TestAccMeasureScale measures the minimal provider like all others: its plans are empty after the apply, and it sends no
// requests.
func TestAccMeasureScale(t *testing.T) {
	t.Parallel()
	var progress bytes.Buffer
	b := &bench{out: io.Discard, progress: &progress, tools: testTools(t)}
	s := subjects[slices.IndexFunc(subjects, func(s subject) bool { return s.name == "minimal" })]
	all, err := measureScale(t.Context(), b, s, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, phase := range phaseNames() {
		m := all.of(s.name, 2, phase)
		if m.effort.wall <= 0 || m.effort.cpu <= 0 || m.requests != 0 {
			t.Errorf("%s: measured %+v, want some time and no requests", phase, m)
		}
		if _, err := os.Stat("/proc/self/status"); err == nil && (m.effort.cliPeak == 0 || m.effort.pluginPeak == 0) {
			t.Errorf("%s: measured %+v, want memory peaks of both processes", phase, m)
		}
		if !strings.Contains(progress.String(), "2 × minimal: "+phase) {
			t.Errorf("the progress doesn't mention %s: %s", phase, progress.String())
		}
	}
}
