package oauthprovider

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// TestWritesCloseTheList reads from the shared list until something is about to be changed.
func TestWritesCloseTheList(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`[{"id": "o1", "provider_id": "mail"}]`))
	}))
	t.Cleanup(server.Close)
	c, err := client.New(client.Config{BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	p := &framework.ProviderData{Client: c, Memo: &framework.Memo{}}
	asked := func() (asked bool) {
		_, _ = sharedList(p, c).One(t.Context(), "mail", func(bool) (*api.OAuthProviderResponse, error) {
			asked = true
			return nil, nil
		})
		return asked
	}
	for asked() { // The first reads are sent one by one.
	}
	r := &oauthProviderResource{framework.IdentifiedResource{Resource: framework.Resource{ProviderData: *p}}}
	r.writer(types.StringNull())
	if !asked() {
		t.Error("a read after a write comes from the earlier list")
	}
}
