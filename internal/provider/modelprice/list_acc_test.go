package modelprice_test

import (
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccModelPriceListResource_ofTheService leaves out what nobody can manage.
func TestAccModelPriceListResource_ofTheService(t *testing.T) {
	t.Parallel()
	rpc := providertest.NewFrom(t, api.Neutral, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`[{"id": "a", "tenant_id": null, "name": "Theirs"}, {"id": "b", "tenant_id": "w", "name": "Ours"}]`))
	})).RPC()
	found, diags := rpc.Query(tfprotov6.ListResourceRequest{TypeName: typeName}, map[string]any{})
	rpc.OK(nil, diags)
	if len(found) != 1 || found[0].DisplayName != "Ours" {
		t.Errorf("found %d, want ours", len(found))
	}
}
