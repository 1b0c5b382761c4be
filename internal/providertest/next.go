package providertest

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/tfversion"
)

// VersionChecks returns the version checks of a test case. If one of them skips the test in Terraform 1.11, the name of the
// test must end in _next. While AGENTPLANE_TEST_NEXT is set, a check fails the test instead of skipping it.
func VersionChecks(t testing.TB, checks ...tfversion.TerraformVersionCheck) []tfversion.TerraformVersionCheck {
	t.Helper()
	if slices.ContainsFunc(checks, NeedsNext) {
		RequireNextName(t)
	}
	if os.Getenv("AGENTPLANE_TEST_NEXT") == "" {
		return checks
	}
	failing := make([]tfversion.TerraformVersionCheck, 0, len(checks))
	for _, check := range checks {
		failing = append(failing, failInsteadOfSkip{check})
	}
	return failing
}

// RequireNextName fails a test unless its name ends in _next. make testacc ONLY=next selects the tests that need a newer CLI
// than Terraform 1.11 by this suffix. A subtest needs it in the name of its top-level test.
func RequireNextName(t testing.TB) {
	t.Helper()
	if test, _, _ := strings.Cut(t.Name(), "/"); !strings.HasSuffix(test, "_next") {
		t.Fatalf("%s needs a newer CLI than Terraform 1.11: end the name of the test in _next, so that make testacc ONLY=next runs it", test)
	}
}

// NeedsNext reports whether a check skips its test in Terraform 1.11.
func NeedsNext(check tfversion.TerraformVersionCheck) bool {
	var resp tfversion.CheckTerraformVersionResponse
	check.CheckTerraformVersion(context.Background(),
		tfversion.CheckTerraformVersionRequest{TerraformVersion: tfversion.Version1_11_0}, &resp)
	return resp.Skip != ""
}

// failInsteadOfSkip fails the tests that its check would skip.
type failInsteadOfSkip struct {
	tfversion.TerraformVersionCheck
}

// CheckTerraformVersion implements tfversion.TerraformVersionCheck.
func (c failInsteadOfSkip) CheckTerraformVersion(
	ctx context.Context, req tfversion.CheckTerraformVersionRequest, resp *tfversion.CheckTerraformVersionResponse,
) {
	c.TerraformVersionCheck.CheckTerraformVersion(ctx, req, resp)
	if resp.Skip != "" {
		resp.Error, resp.Skip = errors.New(resp.Skip), ""
	}
}
