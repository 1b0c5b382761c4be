package listener

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/lookup"
)

const defaultDeleteTimeout = 30 * time.Minute

// NewResource is the resource agentplane_listener.
func NewResource() resource.Resource {
	return framework.NewResource(framework.ResourceSpec[model]{
		Name: "listener", Noun: "listener", Schema: listenerSchema, Importer: importer, Failure: model.failure,
		Label:     func(m model) string { return framework.Label(m.ComputeID, m.ID) },
		Workspace: func(m *model) *types.String { return &m.WorkspaceID },
		Unique: framework.UniqueKey[model]{
			Attribute: "compute_id", Words: "compute_id", ID: func(m model) types.String { return m.ID },
			Values: func(m model) (types.String, types.String, []attr.Value) { return m.ComputeID, m.WorkspaceID, nil },
			Holder: holder,
		},
		Plan: plan, Create: create, Taken: taken, Confirm: framework.Confirming(newModel, get), Read: read, Update: update, Delete: remove,
	})
}

// holder returns the ID of the listener that has the compute_id of a planned one.
func holder(ctx context.Context, provider *framework.ProviderData, planned model) (string, error) {
	listeners, err := lookup.Listeners(ctx, provider, provider.In(planned.WorkspaceID))
	for _, l := range listeners {
		if l.ComputeID == planned.ComputeID.ValueString() {
			return l.ID, nil
		}
	}
	return "", err
}

func create(ctx context.Context, op *framework.Operation[model]) (*model, diag.Diagnostics) {
	c := writer(op.ProviderData, op.Plan.WorkspaceID)
	created, err := c.CreateListener(ctx, op.Plan.toCreate())
	if err == nil {
		lookup.ForgetListeners(op.ProviderData, c) // Deployments of the same apply look the listener up.
	}
	return framework.Answer(ctx, op, newModel, created, err)
}

// taken identifies the listener that has the compute_id of one that can't be created.
func taken(ctx context.Context, op *framework.Operation[model]) string {
	found, err := find(ctx, op.In(op.Plan.WorkspaceID), op.Plan.ComputeID.ValueString())
	if err != nil || found == nil {
		return ""
	}
	return op.Taken(op.Plan.WorkspaceID, found.ID, "listener", "compute_id")
}

func get(ctx context.Context, c *client.Client, created model) (*api.Listener, error) {
	return c.Listeners().Get(ctx, created.ID.ValueString())
}

func read(ctx context.Context, op *framework.Operation[model]) (*model, diag.Diagnostics) {
	c, id := op.In(op.State.WorkspaceID), op.State.ID.ValueString()
	listener, err := sharedList(op.ProviderData, c).One(ctx, id, func(whole bool) (*api.Listener, error) {
		if whole {
			return c.Listeners().Get(ctx, id)
		}
		return c.Listeners().Find(ctx, id)
	})
	if client.IsNotFound(err) {
		return nil, nil
	}
	return framework.Answer(ctx, op, newModel, listener, err)
}

func update(ctx context.Context, op *framework.Operation[model]) (*model, diag.Diagnostics) {
	patch, changes := op.Plan.toPatch(*op.State)
	if !changes {
		return op.State, nil
	}
	c := writer(op.ProviderData, op.State.WorkspaceID)
	patched, err := c.PatchListener(ctx, op.State.ID.ValueString(), patch)
	if err == nil {
		lookup.ForgetListeners(op.ProviderData, c)
	}
	return framework.Answer(ctx, op, newModel, patched, err)
}

func remove(ctx context.Context, op *framework.Operation[model]) diag.Diagnostics {
	limit, diags := op.State.Timeouts.Delete(ctx, defaultDeleteTimeout)
	if diags.HasError() {
		return diags
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := deleteUnused(ctx, writer(op.ProviderData, op.State.WorkspaceID), op.Policy(), limit, op.State.ID.ValueString())
	if inUse, is := errors.AsType[*inUseError](err); is {
		return framework.NewError(op.Failure(ctx, err).Summary, "It is used by %s, which only this listener can update.\n\n%s",
			named(inUse.deployments), freeIt)
	}
	if err != nil { // A 404 may be about the deployments.
		return op.Failed(ctx, err)
	}
	return nil
}

// freeIt is the remedy for a listener that deployments use.
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

// sharedList returns the list of a workspace's listeners for the running plan.
func sharedList(p *framework.ProviderData, c *client.Client) *framework.SharedList[api.Listener] {
	return framework.Shared(p, "listed listeners", c, c.Listeners().Pages, func(l api.Listener) []string { return []string{l.ID} })
}

// writer returns the client for changes. Lists that were read before are stale from then on.
func writer(provider *framework.ProviderData, workspaceID types.String) *client.Client {
	c := provider.In(workspaceID)
	sharedList(provider, c).Close()
	return c
}

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
