package listener

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// importer finds a listener by its compute_id, because listeners have no name.
var importer = framework.Importer{
	TypeName: "agentplane_listener", Noun: "listener", Name: "compute_id", Example: "name:dev-cluster",
	IDsByName: func(ctx context.Context, p *framework.ProviderData, workspaceID types.String, computeID string) ([]string, error) {
		listener, err := find(ctx, p.In(workspaceID), computeID)
		if err != nil || listener == nil {
			return nil, err
		}
		return []string{listener.ID}, nil
	},
}
