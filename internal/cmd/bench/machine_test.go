package main

import (
	"strings"
	"testing"
)

func TestFields(t *testing.T) {
	t.Parallel()
	const cpuinfo = "processor\t: 0\nmodel name\t: Example CPU @ 2 GHz\nmodel name\t: Another\n"
	const meminfo = "MemTotal:       25296000 kB\nMemFree:         1024 kB\nHugePages_Total:       0\n"
	for _, tc := range []struct{ got, want string }{
		{field(cpuinfo, "model name"), "Example CPU @ 2 GHz"},
		{field(cpuinfo, "model"), ""},
		{memory(meminfo), "24 GiB"},
		{memory(""), "unknown"},
		{load("0.52 3.12 3.31 1/234 5678\n"), "0.52"},
		{load(""), "unknown"},
		{firstLine("Terraform v1.11.4\non linux_amd64\n"), "Terraform v1.11.4"},
		{firstLine(""), "unknown CLI"},
	} {
		if tc.got != tc.want {
			t.Errorf("got %q, want %q", tc.got, tc.want)
		}
	}
	for name, want := range map[string]int64{"MemFree": 1024, "HugePages_Total": 0, "Nothing": 0} {
		if got := kilobytes(meminfo, name); got != want {
			t.Errorf("kilobytes(%s) = %d, want %d", name, got, want)
		}
	}
}

// TestDescribeMachine expects the description to say what is unknown.
func TestDescribeMachine(t *testing.T) {
	t.Parallel()
	got := describeMachine(t.Context(), "/nonexistent/terraform")
	for _, want := range []string{" cores, ", "unknown CLI", "commit ", " UTC"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q doesn't contain %q", got, want)
		}
	}
}
