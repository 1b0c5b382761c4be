package deployment

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

var importer = framework.Importer{
	TypeName: "agentplane_deployment", Noun: "deployment", Example: "name:chat",
	IDsByName: func(ctx context.Context, p *framework.ProviderData, workspaceID types.String, name string) ([]string, error) {
		var ids []string
		for deployment, err := range p.In(workspaceID).ListDeployments(ctx, client.DeploymentFilter{Name: name}) {
			if err != nil {
				return nil, err
			}
			ids = append(ids, deployment.ID)
		}
		return ids, nil
	},
}
