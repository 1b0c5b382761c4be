package deployment

import (
	"context"
	"fmt"
	"net/http"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// lookUpName refuses the name of an existing deployment, unless that is in the state and may be about to be replaced.
func (r *deploymentResource) lookUpName(ctx context.Context, c *client.Client, planned model) diag.Diagnostics {
	name := planned.Name
	if name.IsNull() || name.IsUnknown() {
		return nil
	}
	found, err := r.list(planned.WorkspaceID).withName(ctx, c, name.ValueString())
	at := path.Root("name")
	if err != nil {
		return notChecked(at, err)
	}
	for _, deployment := range found {
		known, ours := r.seen().Load(deployment.ID)
		switch {
		case deployment.Status.BeingDeleted():
		case ours:
			state, _ := known.(*model)
			if state == nil {
				continue
			}
			return append(warnOfProtected(*state), warnOfBlockedName(r.dialect(), planned, *state)...)
		default:
			return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(at, "Name is taken",
				fmt.Sprintf("A deployment named %q already exists, and names are unique in a workspace. Choose another "+
					"name. Or, if the deployment is yours, %s", deployment.Name, r.TakeOver(planned.WorkspaceID, deployment.ID)))}
		}
	}
	return nil
}

// notCreated returns the diagnostics for a failed creation of m. If the name is taken, they identify the deployment that
// has it.
func (r *deploymentResource) notCreated(ctx context.Context, m model, sent []api.Secret, err error) diag.Diagnostics {
	failure := m.failure("create", sent...)
	if client.StatusOf(err) != http.StatusConflict {
		return failure.Diagnostics(err)
	}
	name, taken := m.Name.ValueString(), ""
	// If the list fails, the general advice is used.
	found, _ := client.Collect(r.In(m.WorkspaceID).ListDeployments(ctx, client.DeploymentFilter{Name: name}))
	for _, deployment := range found {
		taken = r.Taken(m.WorkspaceID, deployment.ID, "deployment", "name")
		if _, ours := r.seen().Load(deployment.ID); ours {
			taken = fmt.Sprintf("Deployment %q (%s) is managed by this configuration. %s", name, deployment.ID, framework.Twice("deployment", "name"))
		}
	}
	if taken == "" {
		taken = failure.NextSteps[http.StatusConflict] + leftBehind(r.dialect(), name)
	}
	failure.NextSteps[http.StatusConflict] = taken
	return failure.Diagnostics(err)
}

// managed notes that a deployment is in the state.
func (r *deploymentResource) managed(id string) { r.note(id, nil) }

// remember notes the state of a deployment that has just been read, for plans that don't receive it: for a tainted
// deployment, the plan looks like a creation. A plan that receives the state warns by itself, and notes only the ID.
func (r *deploymentResource) remember(state model) {
	r.note(state.ID.ValueString(), &model{
		ID: state.ID, Name: state.Name, WorkspaceID: state.WorkspaceID, ActiveRevisionID: state.ActiveRevisionID,
		DeletionProtection: state.DeletionProtection, DeleteTracingProject: state.DeleteTracingProject,
	})
}

func (r *deploymentResource) note(id string, state *model) {
	if r.Memo != nil {
		r.seen().Store(id, state)
	}
}

// seen returns the deployments in the state that this process has encountered.
func (r *deploymentResource) seen() *sync.Map {
	return framework.SharedMap(r.Memo, "managed deployments")
}
