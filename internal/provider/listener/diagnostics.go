package listener

import (
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

// freeIt is what to do about a listener that deployments use.
const freeIt = "Delete the deployments first, or deploy them with another listener, which replaces them. Then apply again."

// failure is how a failed verb on the listener m is told.
func (m model) failure(verb string) framework.Failure {
	computeID := m.ComputeID.ValueString()
	conflict := "Another change of this listener is in progress, or deployments depend on what would change: apply again once " +
		"that is over."
	switch verb {
	case "create":
		conflict = framework.Twice("listener", "compute_id")
	case "delete":
		conflict = freeIt
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

// notCreated is how a failed creation of the listener m is told. A compute_id that is taken leads to the listener that has it.
func notCreated(ctx context.Context, p *framework.ProviderData, m model, err error) diag.Diagnostics {
	failure := m.failure("create")
	if client.StatusOf(err) != http.StatusConflict {
		return failure.Diagnostics(err)
	}
	// Without an answer, the general advice stands.
	listeners, _ := client.Collect(p.In(m.WorkspaceID).ListListeners(ctx))
	for _, listener := range listeners {
		if listener.ComputeID == m.ComputeID.ValueString() {
			failure.NextSteps[http.StatusConflict] = p.Taken(m.WorkspaceID, listener.ID, "listener", "compute_id")
		}
	}
	return failure.Diagnostics(err)
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
