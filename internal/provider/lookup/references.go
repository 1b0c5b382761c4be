package lookup

import "github.com/agentplane/terraform-provider-agentplane/internal/framework"

// What arguments of other resources refer to.
var (
	ListenerID     = framework.Reference{TypeName: "agentplane_listener", Attribute: "id"}
	DeploymentID   = framework.Reference{TypeName: "agentplane_deployment", Attribute: "id"}
	DeploymentName = framework.Reference{TypeName: "agentplane_deployment", Attribute: "name"}
	TracingProject = framework.Reference{TypeName: "agentplane_deployment", Attribute: "tracing_project_id"}
)

// Keys identify objects in their workspace, by type: those to which others refer.
var Keys = map[string]framework.Reference{
	"agentplane_listener":   {TypeName: "agentplane_listener", Attribute: "compute_id"},
	"agentplane_deployment": DeploymentName,
}
