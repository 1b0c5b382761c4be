package providertest_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// namedTest is a test of any name, which records whether it fails.
type namedTest struct {
	testing.TB
	name   string
	failed bool
}

func (n *namedTest) Helper()      {}
func (n *namedTest) Name() string { return n.name }

func (n *namedTest) Fatalf(string, ...any) {
	n.failed = true
	runtime.Goexit()
}

func TestVersionChecks_name(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		test  string
		check tfversion.TerraformVersionCheck
		fails bool
	}{
		"old":              {"TestAccRun", tfversion.SkipBelow(tfversion.Version1_11_0), false},
		"new":              {"TestAccRun", tfversion.SkipBelow(tfversion.Version1_12_0), true},
		"new and named so": {"TestAccRun_next", tfversion.SkipBelow(tfversion.Version1_14_0), false},
		"new in a subtest": {"TestAccExamples_next/actions", tfversion.SkipBelow(tfversion.Version1_14_0), false},
		"new subtest":      {"TestAccImport/identity_next", tfversion.SkipBelow(tfversion.Version1_12_0), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			named := &namedTest{TB: t, name: test.test}
			done := make(chan struct{})
			go func() {
				defer close(done)
				providertest.VersionChecks(named, tfversion.SkipBelow(tfversion.Version1_8_0), test.check)
			}()
			<-done
			if named.failed != test.fails {
				t.Errorf("fails: %t, want %t", named.failed, test.fails)
			}
		})
	}
}

// TestVersionChecks_skip changes the environment, so it can't run in parallel.
func TestVersionChecks_skip(t *testing.T) {
	for _, test := range []struct {
		next        string
		skip, fails bool
	}{
		{next: "", skip: true},
		{next: "required", fails: true},
	} {
		t.Setenv("AGENTPLANE_TEST_NEXT", test.next)
		var resp tfversion.CheckTerraformVersionResponse
		for _, check := range providertest.VersionChecks(t, tfversion.SkipBelow(tfversion.Version1_8_0)) {
			request := tfversion.CheckTerraformVersionRequest{TerraformVersion: tfversion.Version1_5_0}
			check.CheckTerraformVersion(context.Background(), request, &resp)
		}
		if skip, fails := resp.Skip != "", resp.Error != nil; skip != test.skip || fails != test.fails {
			t.Errorf("AGENTPLANE_TEST_NEXT=%q: skips: %t, fails: %t", test.next, skip, fails)
		}
	}
}
