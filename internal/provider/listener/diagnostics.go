package listener

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// freeIt is what to do about a listener that deployments use.
const freeIt = "Delete the deployments first, or deploy them with another listener, which replaces them. Then apply again."

// failure is how a failed verb on the listener m is told.
func (m model) failure(verb string) framework.Failure {
	computeID := m.ComputeID.ValueString()
	conflict := freeIt
	if verb == "create" {
		conflict = fmt.Sprintf("If the listener of %q is yours, import it with `terraform import ADDRESS name:%[1]s`, where "+
			"ADDRESS is this resource; else choose another compute_id. They are unique in a workspace.", computeID)
	}
	return framework.Failure{
		Summary: fmt.Sprintf("Cannot %s listener %q", verb, computeID),
		AttributePath: func(loc []api.LocStep) (path.Path, bool) {
			return framework.SchemaPath(listenerSchema(), loc)
		},
		NextSteps: map[int]string{http.StatusConflict: conflict},
		TimeUp:    fmt.Sprintf("The time to %s it was up. To give it longer, raise timeouts.%[1]s.", verb),
	}
}

// notDeleted is how a failed deletion of the listener m is told.
func (m model) notDeleted(err error) diag.Diagnostics {
	failure := m.failure("delete")
	if inUse, is := errors.AsType[*inUseError](err); is {
		return diag.Diagnostics{diag.NewErrorDiagnostic(failure.Summary,
			fmt.Sprintf("It is used by %s, which only this listener can deploy.\n\n%s", named(inUse.deployments), freeIt))}
	}
	return failure.Diagnostics(err)
}
