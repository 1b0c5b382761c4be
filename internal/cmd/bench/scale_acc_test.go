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

// testTools uses the CLI of the acceptance tests. Where they are asked for, there must be one.
func testTools(t *testing.T) tools {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("runs a CLI, which needs TF_ACC")
	}
	cli := os.Getenv("TF_ACC_TERRAFORM_PATH")
	if cli == "" {
		var err error
		if cli, err = exec.LookPath("terraform"); err != nil {
			t.Fatalf("TF_ACC_TERRAFORM_PATH names no CLI: %v", err)
		}
	}
	return tools{root: "../../..", dir: t.TempDir(), cli: cli}
}

// The minimal provider goes the way of all subjects: its plans are empty after the apply, and nothing is asked of the
// service.
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
			t.Errorf("%s: %+v", phase, m)
		}
		if _, err := os.Stat("/proc/self/status"); err == nil && (m.effort.cliPeak == 0 || m.effort.pluginPeak == 0) {
			t.Errorf("%s has no peaks: %+v", phase, m)
		}
		if !strings.Contains(progress.String(), "2 × minimal: "+phase) {
			t.Errorf("%s is not in the progress: %s", phase, progress.String())
		}
	}
	program, err := b.tools.provider(t.Context(), s.provider)
	if err != nil {
		t.Fatal(err)
	}
	if took, err := startProvider(t.Context(), program); err != nil || took <= 0 {
		t.Errorf("the provider starts in %s: %v", took, err)
	}
	if _, err := startProvider(t.Context(), b.tools.cli); err == nil {
		t.Error("a CLI starts like a provider")
	}
}
