package main

import (
	"errors"
	"flag"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseOptions(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		args []string
		want options
	}{
		"nothing":    {nil, options{sizes: []int{1, 100, 500}}},
		"everything": {[]string{"-n", "1000, 10 10", "-only", "load,scale"}, options{sizes: []int{10, 1000}, only: []string{"load", "scale"}}},
		"left empty": {[]string{"-only", ""}, options{sizes: []int{1, 100, 500}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := parseOptions(tc.args, io.Discard)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want.sizes, got.sizes); diff != "" {
				t.Errorf("sizes (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(strings.Join(tc.want.only, " "), strings.Join(got.only, " ")); diff != "" {
				t.Errorf("sections (-want +got):\n%s", diff)
			}
		})
	}
}

// TestSections checks that slow sections and those that need npm run only on request.
func TestSections(t *testing.T) {
	t.Parallel()
	for only, want := range map[string]string{"": "scale", "load scale": "scale load"} {
		var got []string
		for _, s := range sections {
			if s.wanted(words(only)) {
				got = append(got, s.name)
			}
		}
		if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
			t.Errorf("sections for %q (-want +got):\n%s", only, diff)
		}
	}
}

func TestParseOptionsRefuses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"argument":  {[]string{"100"}, `unexpected argument "100"`},
		"no number": {[]string{"-n", "many"}, `-n has "many"`},
		"zero":      {[]string{"-n", "0"}, `-n has "0"`},
		"no runs":   {[]string{"-runs", "0"}, "flag -runs: use a positive whole number"},
		"empty":     {[]string{"-n", " "}, "-n is empty"},
		"section":   {[]string{"-only", "memory"}, `-only has "memory": the sections are scale, load`},
		"help":      {[]string{"-help"}, flag.ErrHelp.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := run(t.Context(), tc.args, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error = %v, want %q", err, tc.want)
			}
		})
	}
}

// TestRunElsewhere runs the command in another directory: the error says where to run it.
func TestRunElsewhere(t *testing.T) {
	t.Parallel()
	err := run(t.Context(), []string{"-only", "scale"}, io.Discard, io.Discard)
	if err == nil || errors.Is(err, flag.ErrHelp) || !strings.Contains(err.Error(), "run make bench in the root of the repository") {
		t.Errorf("error = %v, want one that says where to run the command", err)
	}
}
