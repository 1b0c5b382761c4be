package deployment

import (
	"fmt"
	"net/http"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// failure is how a failed verb on the deployment m is told.
func (m model) failure(verb string) framework.Failure {
	name := m.Name.ValueString()
	return framework.Failure{
		Summary:       fmt.Sprintf("Cannot %s deployment %q", verb, name),
		AttributePath: m.attributePath,
		NextSteps: map[int]string{
			http.StatusConflict: fmt.Sprintf("If a deployment %q exists and is yours, import it with `terraform import`, using "+
				"its id; else choose another name. If another change of this deployment is in progress, apply again once it is "+
				"done. A replacement can't use create_before_destroy, because names are unique.", name),
		},
	}
}

// attributePath finds the attribute of a location in a request body. The API's list of secrets is several maps here, so
// its index leads to the variable at that place of the request.
func (m model) attributePath(loc []api.LocStep) (path.Path, bool) {
	if loc[0].Key == "secrets" {
		return m.variablePath(loc[1:])
	}
	return framework.SchemaPath(deploymentSchema(), loc)
}

func (m model) variablePath(loc []api.LocStep) (path.Path, bool) {
	if len(loc) == 0 || loc[0].Index == nil {
		return path.Empty(), false
	}
	sent := m.toSecrets()
	i := *loc[0].Index
	if i < 0 || i >= int64(len(sent)) {
		return path.Empty(), false
	}
	name := sent[i].Name
	if _, plain := m.Environment.Elements()[name]; plain {
		return path.Root("environment").AtMapKey(name), true
	}
	return path.Root("secrets").AtMapKey(name), true
}
