package listener

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
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
		TimeUp:    fmt.Sprintf("The operation timed out. To allow more time, raise timeouts.%s.", verb),
	}
}

// notCreated returns the diagnostics for a failed creation of m. If the compute_id is taken, they identify the listener
// that has it.
func notCreated(ctx context.Context, p *framework.ProviderData, m model, err error) diag.Diagnostics {
	failure := m.failure("create")
	if client.StatusOf(err) != http.StatusConflict {
		failure.Last = p.Found(m.WorkspaceID, err, nil)
		return failure.Diagnostics(err)
	}
	// If the list fails, the general advice is used.
	listeners, _ := client.Collect(p.In(m.WorkspaceID).ListListeners(ctx))
	for _, listener := range listeners {
		if listener.ComputeID == m.ComputeID.ValueString() {
			failure.NextSteps[http.StatusConflict] = p.Taken(m.WorkspaceID, listener.ID, "listener", "compute_id")
		}
	}
	return failure.Diagnostics(err)
}

// notDeleted returns the diagnostics for a failed deletion of m.
func (m model) notDeleted(err error) diag.Diagnostics {
	failure := m.failure("delete")
	if inUse, is := errors.AsType[*inUseError](err); is {
		return diag.Diagnostics{diag.NewErrorDiagnostic(failure.Summary,
			fmt.Sprintf("It is used by %s, which only this listener can update.\n\n%s", named(inUse.deployments), freeIt))}
	}
	return failure.Diagnostics(err)
}
