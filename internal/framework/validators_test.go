package framework_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

func TestValidators(t *testing.T) {
	t.Parallel()
	null, unknown := types.StringNull(), types.StringUnknown()
	good := func(values ...string) []types.String {
		all := []types.String{null, unknown}
		for _, value := range values {
			all = append(all, types.StringValue(value))
		}
		return all
	}
	tests := map[string]struct {
		validator validator.String
		good      []types.String
		bad       []string
	}{
		"UUID":     {framework.UUID(), good("4f1c2a9e-8d3b-4b6a-9c57-2e0f6d1a7b38"), []string{"", "chat", "4f1c2a9e"}},
		"Duration": {framework.Duration(), good("1s", "2h45m", "1.5s"), []string{"", "10", "a day", "0s", "-1h"}},
		"Time": {
			framework.Time(), good("2026-06-01T00:00:00Z", "2026-06-01T02:00:00.25+02:00", "1900-01-01T00:00:00Z", "2261-12-31T23:59:59Z"),
			[]string{
				"", "yesterday", "2026-06-01", "2026-06-01T00:00:00", "0000-01-01T00:00:00Z", "1899-12-31T23:59:59Z", "1900-01-01T00:00:00+01:00",
				"2262-01-01T00:00:00Z", "9999-12-31T23:59:59Z",
			},
		},
		"URL": {
			framework.URL(), good("https://login.example.com/authorize", "http://127.0.0.1:8080"),
			[]string{"", "login.example.com", "ftp://login.example.com", "https://", "https://%zz", "/authorize"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			validate := func(value types.String) []told {
				var resp validator.StringResponse
				test.validator.ValidateString(t.Context(), validator.StringRequest{Path: path.Root("url"), ConfigValue: value}, &resp)
				return read(resp.Diagnostics)
			}
			for _, value := range test.good {
				if got := validate(value); len(got) > 0 {
					t.Errorf("%s: %+v", value, got)
				}
			}
			wanted := test.validator.Description(t.Context())
			for _, value := range test.bad {
				got := validate(types.StringValue(value))
				if len(got) != 1 || got[0].At != "url" || got[0].Summary != "Invalid url" || !strings.Contains(got[0].Detail, wanted) {
					t.Errorf("%q: want an error that says what it must be, got %+v", value, got)
				}
			}
			if !strings.HasPrefix(wanted, "must be a") || test.validator.MarkdownDescription(t.Context()) != wanted {
				t.Errorf("described as %q", wanted)
			}
		})
	}
}
