package resourcespec

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework/frameworktest"
)

func TestValidatorsOfValues(t *testing.T) {
	t.Parallel()
	frameworktest.CheckStrings(t, frameworktest.StringCases{
		"variable of a container": {identifierValidator(), []string{"A", "_a1"}, []string{"", "1A", "A-B", "A.B", "A=B"}},
		"key of a label": {
			labelKeyValidator(), []string{"app", "app.kubernetes.io/name", "A_b-c.d"},
			[]string{"", "/a", "a/", "a/b/c", "-a", "a-", "A.example/b", strings.Repeat("a", 64)},
		},
		"value of a label": {labelValueValidator(), []string{"", "a", "A_b-c.d"}, []string{"-a", "a-", "a b", "a/b", strings.Repeat("a", 64)}},
		"quantity": {
			quantityValidator(), []string{"0", "1", "250m", "0.5", ".5", "1.", "512Mi", "1e3", "2E", "1E-2"},
			[]string{"", "m", "1 Gi", "-1", "512mb", "1KiB", "1e", "1e999", "one"},
		},
		"place of a mount":  {mountPathValidator(), []string{"/", "/data/x"}, []string{"", "data", "./data", "/a:b"}},
		"place in a volume": {subPathValidator(), []string{"", "a", "a/b..c"}, []string{"/a", "..", "a/../b"}},
		"JSON object": {
			jsonObjectValidator(), []string{`{}`, ` {"a": [null]} `, "{\n}"},
			[]string{``, `null`, `[]`, `"a"`, `1`, `{`, `{"a":1}{}`, `{'a':1}`},
		},
	})
}

// TestNullIsNoJSONObject expects an error for jsonencode(null), which is valid JSON and the result of encoding a null variable.
func TestNullIsNoJSONObject(t *testing.T) {
	t.Parallel()
	diags := frameworktest.Validate(t, jsonObjectValidator(), types.StringValue("null"))
	if len(diags) != 1 || !strings.Contains(diags[0].Detail(), "jsonencode") || !strings.Contains(diags[0].Detail(), "it is null") {
		t.Errorf("diagnostics = %v, want one that mentions jsonencode and null", diags)
	}
}
