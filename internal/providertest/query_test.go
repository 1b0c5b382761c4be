package providertest_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// stall answers nothing until the client has given up, which a server sees once it has read the body.
func stall(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

// TestQuery_interrupted: an interrupted list fails as a whole, because the protocol's server would drop it without a word.
func TestQuery_interrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	rpc := providertest.NewFrom(t, api.Neutral, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cancel()
		stall(w, r)
	})).RPC()
	lists, ok := rpc.Server.(tfprotov6.ListResourceServer)
	if !ok {
		t.Fatal("the provider offers no list resources")
	}
	_, err := lists.ListResource(ctx, &tfprotov6.ListResourceRequest{TypeName: "agentplane_listener", Config: rpc.Value(map[string]any{}), Limit: 10})
	if err == nil || !strings.Contains(err.Error(), "the query of agentplane_listener was interrupted: context canceled") {
		t.Errorf("error = %v", err)
	}
}
