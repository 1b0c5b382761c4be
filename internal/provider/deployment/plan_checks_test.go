package deployment

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework/frameworktest"
)

func TestRefuseName(t *testing.T) {
	t.Parallel()
	for name, refused := range map[string]bool{
		"chat": false, strings.Repeat("a", 63): false, strings.Repeat("a", 64): true, "chat-": true, "c-h-a-t": false,
	} {
		if diags := refuseName(text(name)); diags.HasError() != refused {
			t.Errorf("refuseName(%q) = %v, want an error: %t", name, frameworktest.Lines(diags), refused)
		}
	}
	frameworktest.NoDiags(t, refuseName(types.StringUnknown()))
}
