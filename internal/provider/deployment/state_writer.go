package deployment

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/rollout"
)

// stateWriter stores what is known about a deployment, so that no error loses it.
type stateWriter struct {
	framework.StateWriter
	stored model // What the state has so far, if known.
	plan   model
	prints fingerprints
	client *client.Client

	// What an apply is compared with when it ends.
	config model
	// The rest is that of an update.
	state       model
	priorPrints fingerprints
	change      change
	proof       *rollout.Proof // Nil for a creation.
	private     framework.PrivateWriter
}

// keep stores the planned values, and otherwise what the service returned. The status of a revision is stored only beside its ID.
func (w stateWriter) keep(ctx context.Context, answer api.Deployment, revision api.Revision) diag.Diagnostics {
	latest := framework.PlannedOr(w.plan.LatestRevisionID, framework.String(answer.LatestRevisionID)).ValueString()
	switch {
	case latest == revision.ID:
	case answer.ActiveRevisionID != nil && latest == *answer.ActiveRevisionID:
		revision.Status = api.RevisionDeployed
	default:
		revision.Status = ""
	}
	answered, diags := newModel(w.plan, answer, revision.Status, w.prints)
	diags.Append(w.set(ctx, kept(ctx, w.plan, answered.withDashboardURL(w.client)))...)
	return diags
}

// kept is what an apply stores.
func kept(ctx context.Context, plan, answered model) model {
	m := framework.KeepPlanned(ctx, plan, answered)
	m.SecretsWO = types.MapNull(types.StringType)
	return m
}

// set stores m, converting only what differs from what is stored.
func (w stateWriter) set(ctx context.Context, m model) diag.Diagnostics {
	diags := framework.WriteChanged(ctx, w.State.Schema, &w.State.Raw, w.stored, m)
	diags.Append(w.WriteIdentity(ctx, m)...)
	return diags
}
