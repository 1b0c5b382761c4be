package deployment

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// TestNewSecretReferences checks that unmanaged references stay null, and that those the service doesn't return are kept.
func TestNewSecretReferences(t *testing.T) {
	t.Parallel()
	reported := []api.SecretReference{{Name: "TOKEN", SecretName: "agent", SecretKey: "token"}}
	references := allSecretReferences(reported)
	none := types.MapValueMust(referenceType(), nil)
	for name, test := range map[string]struct {
		prior  types.Map
		answer []api.SecretReference
		want   types.Map
	}{
		"not managed":   {noReferences(), reported, noReferences()},
		"unknown":       {types.MapUnknown(referenceType()), reported, noReferences()},
		"not reported":  {references, nil, references},
		"none reported": {references, []api.SecretReference{}, none},
		"reported":      {none, reported, references},
	} {
		got := newSecretReferences(test.prior, test.answer)
		if !got.Equal(test.want) {
			t.Errorf("%s: newSecretReferences = %s, want %s", name, got, test.want)
		}
	}
}
