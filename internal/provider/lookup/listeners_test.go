package lookup_test

import (
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/lookup"
)

func TestListenersKey(t *testing.T) {
	t.Parallel()
	c, err := client.New(client.Config{BaseURL: "http://localhost", WorkspaceID: "w1"})
	if err != nil {
		t.Fatal(err)
	}
	if same := lookup.ListenersKey(c.InWorkspace("w1")); same != lookup.ListenersKey(c) {
		t.Errorf("ListenersKey differs for the same workspace: %q and %q", lookup.ListenersKey(c), same)
	}
	if other := lookup.ListenersKey(c.InWorkspace("w2")); other == lookup.ListenersKey(c) {
		t.Errorf("ListenersKey of two workspaces = %q, want different keys", other)
	}
}
