package listener

import (
	"cmp"
	"fmt"
	"net/http"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// freeIt says how to free a listener that deployments use.
const freeIt = "Delete the deployments first, or move them to another listener, which replaces them. Then apply again."

// failure describes a failed operation on the listener m.
func (m model) failure(verb string) framework.Failure {
	name := cmp.Or(m.ComputeID.ValueString(), m.ID.ValueString()) // An import has no compute_id yet.
	conflict := "Another change of this listener is in progress, or deployments depend on what would change. Apply again " +
		"when that has finished."
	switch verb {
	case "create":
		conflict = "If a listener with this compute_id exists and is yours, import it by its ID. " + framework.Twice("compute_id")
	case "delete":
		conflict = freeIt
	}
	return framework.Failure{
		Summary: fmt.Sprintf("Cannot %s listener %q", verb, name),
		AttributePath: func(loc []api.LocStep) (path.Path, bool) {
			return framework.SchemaPath(listenerSchema(), loc)
		},
		NextSteps: map[int]string{http.StatusConflict: conflict},
		Existing:  "listener " + m.ID.ValueString(),
		TimeUp:    fmt.Sprintf("The operation timed out. To allow more time, raise timeouts.%s.", verb),
	}
}
