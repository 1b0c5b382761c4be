package internal_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	used    = regexp.MustCompile(`(?m)^ *(?:- )?uses: (.+)$`)
	pinned  = regexp.MustCompile(`^[\w-]+/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	granted = regexp.MustCompile(`(?m)^ *([a-z-]+: write)\b`)
)

// brokenWorkflow lists the problems of a workflow: what it uses has to be pinned, and it may only read, except for allowed.
func brokenWorkflow(text string, allowed ...string) []string {
	var broken []string
	if !strings.Contains(text, "\npermissions:\n  contents: read\n") {
		broken = append(broken, "the permissions at the top are not contents: read")
	}
	for _, action := range used.FindAllStringSubmatch(text, -1) {
		if !strings.HasPrefix(action[1], "./") && !pinned.MatchString(action[1]) {
			broken = append(broken, action[1]+" is not pinned by its commit")
		}
	}
	for _, permission := range granted.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(allowed, permission[1]) {
			broken = append(broken, "it may "+permission[1])
		}
	}
	if strings.Count(text, "actions/checkout@") != strings.Count(text, "persist-credentials: false") {
		broken = append(broken, "a checkout stores the token")
	}
	return broken
}

// TestWorkflows checks permissions, pins and the versions of the CLIs.
func TestWorkflows(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../.github/workflows/*.yml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	texts := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(file)] = string(text)
		var allowed []string
		if filepath.Base(file) == "release.yml" {
			allowed = []string{"id-token: write", "attestations: write", "contents: write", "packages: write"}
		}
		for _, broken := range brokenWorkflow(string(text), allowed...) {
			t.Errorf("%s: %s", file, broken)
		}
	}
	for name, wants := range map[string][]string{
		"test.yml": {
			"AGENTPLANE_TEST_NPM: required", "AGENTPLANE_TEST_CHROMIUM: required", "AGENTPLANE_TEST_GPG: required", "AGENTPLANE_TEST_SHELLS: required",
			"- run: .ci/run\n", "- run: .ci/release -snapshot\n",
			"version: [1.5.*, 1.8.*, 1.11.*, 1.12.*, 1.14.*]", "version: [1.6.x, 1.8.x, 1.11.x, 1.12.x]",
		},
		"nightly.yml": {"AGENTPLANE_TEST_CLI=all make testacc", "AGENTPLANE_TEST_OLDER: required", ".ci/newcomer", ".ci/signing-key", "make contract LATEST=1", ".ci/prices -check", "AGENTPLANE_TEST_CONTRIBUTING=all"},
		"release.yml": {"needs: test\n", "needs: build\n", "attest-build-provenance@", "environment: release\n"},
	} {
		for _, want := range wants {
			if !strings.Contains(texts[name], want) {
				t.Errorf("%s lacks %q", name, want)
			}
		}
	}
}

func TestBrokenWorkflow(t *testing.T) {
	t.Parallel()
	const right = "on: push\n\npermissions:\n  contents: read\n\njobs:\n  a:\n    steps:\n" +
		"      - uses: actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0\n        with:\n          persist-credentials: false\n"
	for text, want := range map[string]string{
		right: "",
		strings.Replace(right, "08c6903cd8c0fde910a37f88322edcfb5dd907a8 # ", "", 1):           "is not pinned",
		strings.Replace(right, "contents: read", "contents: write", 1):                         "are not contents: read",
		strings.Replace(right, "  a:\n", "  a:\n    permissions:\n      packages: write\n", 1): "packages: write",
		strings.Replace(right, "          persist-credentials: false\n", "", 1):                "stores the token",
	} {
		broken := strings.Join(brokenWorkflow(text), "\n")
		if (broken == "") != (want == "") || !strings.Contains(broken, want) {
			t.Errorf("%q: %q, want %q", text, broken, want)
		}
	}
}
