package framework_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

func TestString(t *testing.T) {
	t.Parallel()
	ready, empty := api.DeploymentReady, ""
	tests := map[string]struct{ got, want types.String }{
		"nil":                                 {framework.String[string](nil), types.StringNull()},
		"a type of the wire":                  {framework.String(&ready), types.StringValue("READY")},
		"empty is a value":                    {framework.String(&empty), types.StringValue("")},
		"empty that means absent":             {framework.StringOrNull(""), types.StringNull()},
		"a type of the wire, empty or absent": {framework.StringOrNull(ready), types.StringValue("READY")},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !test.got.Equal(test.want) {
				t.Errorf("String = %s, want %s", test.got, test.want)
			}
		})
	}
}
