package listener

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
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
		Name: "listener", Schema: listenerSchema, Importer: importer, Noun: "listener",
		Label: func(m model) string { return framework.Label(m.ComputeID, m.ID) },
		Unique: framework.UniqueKey[model]{
			Attribute: "compute_id", Words: "compute_id", ID: func(m model) types.String { return m.ID },
			Values: func(m model) (types.String, types.String, []attr.Value) { return m.ComputeID, m.WorkspaceID, nil },
			Holder: holder,
		},
		Plan: plan, Create: create, Confirm: confirm, Read: read, Update: update, Delete: remove,
	})
}

// holder returns the ID of the listener that has the compute_id of a planned one.
func holder(ctx context.Context, provider *framework.ProviderData, planned model) (string, error) {
	c := provider.In(planned.WorkspaceID)
	listeners, err := framework.Remember(provider.Memo, lookup.ListenersKey(c), func() ([]api.Listener, error) {
		return client.Collect(c.ListListeners(ctx))
	})
	for _, l := range listeners {
		if l.ComputeID == planned.ComputeID.ValueString() {
			return l.ID, nil
		}
	}
	return "", err
}

func create(ctx context.Context, provider *framework.ProviderData, plan, _ model) (*model, diag.Diagnostics) {
	c := newWriter(provider, plan.WorkspaceID).client
	created, err := c.CreateListener(ctx, plan.toCreate())
	if err != nil {
		return nil, notCreated(ctx, provider, plan, err)
	}
	provider.Memo.Forget(lookup.ListenersKey(c)) // Deployments of the same apply look the listener up there.
	return new(newModel(plan, *created)), nil
}

func confirm(ctx context.Context, provider *framework.ProviderData, created model) (model, error) {
	shown, err := provider.In(created.WorkspaceID).GetListener(ctx, created.ID.ValueString())
	if err != nil {
		return created, err
	}
	return newModel(created, *shown), nil
}

func read(ctx context.Context, provider *framework.ProviderData, state model) (*model, diag.Diagnostics) {
	c, id := provider.In(state.WorkspaceID), state.ID.ValueString()
	listener, err := sharedList(provider, c).One(ctx, id, func(whole bool) (*api.Listener, error) {
		if whole {
			return c.GetListener(ctx, id)
		}
		return c.FindListener(ctx, id)
	})
	if client.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, state.failure("read").Diagnostics(err)
	}
	refreshed := newModel(state, *listener)
	refreshed.WorkspaceID = provider.KnownWorkspace(state.WorkspaceID)
	return &refreshed, nil
}

func update(ctx context.Context, provider *framework.ProviderData, plan, state, _ model) (*model, diag.Diagnostics) {
	patch, changes := plan.toPatch(state)
	if !changes {
		return &state, nil
	}
	w := newWriter(provider, state.WorkspaceID)
	patched, err := w.client.PatchListener(ctx, state.ID.ValueString(), patch)
	if err != nil {
		failure := plan.failure("update")
		failure.Existing = "listener " + state.ID.ValueString()
		failure.Gone = func() bool {
			_, err := w.client.FindListener(ctx, state.ID.ValueString())
			return client.IsNotFound(err)
		}
		return nil, failure.Diagnostics(err)
	}
	provider.Memo.Forget(lookup.ListenersKey(w.client))
	return new(newModel(plan, *patched)), nil
}

func remove(ctx context.Context, provider *framework.ProviderData, state model) diag.Diagnostics {
	limit, diags := state.Timeouts.Delete(ctx, defaultDeleteTimeout)
	if diags.HasError() {
		return diags
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if err := newWriter(provider, state.WorkspaceID).delete(ctx, limit, state.ID.ValueString()); err != nil {
		return state.notDeleted(err)
	}
	return nil
}

// sharedList returns the list of a workspace's listeners for the running plan.
func sharedList(p *framework.ProviderData, c *client.Client) *framework.SharedList[api.Listener] {
	return framework.Shared(p, "listed listeners", c, c.PageListeners, func(l api.Listener) []string { return []string{l.ID} })
}

// newWriter returns the writer for changes. Lists that were read before are stale from then on.
func newWriter(provider *framework.ProviderData, workspaceID types.String) writer {
	c := provider.In(workspaceID)
	sharedList(provider, c).Close()
	return writer{client: c, policy: provider.Policy()}
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
