package revision

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/client/mask"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/rollout"
)

// interruptedWithin is how long a revision may take to show that it was interrupted.
const interruptedWithin = 30 * time.Second

// NewInterruptAction stops the rollout of a revision.
func NewInterruptAction() action.Action {
	return framework.NewAction(framework.ActionSpec[revisionModel]{
		Name: "interrupt_revision", Attributes: interruptAttributes, Plan: planInterruption, Invoke: interrupt,
		Description: "Interrupts a rollout, for example one that hangs. The active revision stays active. Only for the dialect " +
			"`langsmith`. The action fails unless the revision is `INTERRUPTED` within 30 seconds. A revision whose rollout has " +
			"ended is refused.",
	})
}

func interruptAttributes() map[string]schema.Attribute {
	attributes := redeployAttributes(framework.OptionalString("ID of the revision to interrupt. Default: the newest revision.", framework.UUID()))
	delete(attributes, "timeout")
	return attributes
}

// planInterruption refuses dialects without the operation. A rollout may end before the apply, so the plan doesn't look at it.
func planInterruption(_ context.Context, provider *framework.ProviderData, config revisionModel) diag.Diagnostics {
	if config.WorkspaceID.IsUnknown() || config.DeploymentID.IsUnknown() || config.RevisionID.IsUnknown() {
		return nil
	}
	return checkInterruptible(provider.Client.Dialect())
}

func checkInterruptible(dialect *api.Dialect) diag.Diagnostics {
	if dialect.LangSmithAPI {
		return nil
	}
	return framework.NewError(fmt.Sprintf("Not supported by dialect %q", dialect.Name), "Control planes of the dialect %q can't interrupt revisions. "+
		"If your control plane uses another dialect, set dialect (AGENTPLANE_DIALECT) of the provider.", dialect.Name)
}

// interrupt requests the interruption and reads the revision until it has ended.
func interrupt(ctx context.Context, provider *framework.ProviderData, config revisionModel, tell func(message string)) diag.Diagnostics {
	if diags := checkInterruptible(provider.Client.Dialect()); diags.HasError() {
		return diags
	}
	r := newRedeployment("Cannot interrupt a revision of deployment %s", provider, config)
	r.nextSteps[http.StatusBadRequest] = "Look at the revision: its rollout may have ended."
	ctx, err := r.find(ctx)
	if err != nil {
		return r.failed(err)
	}
	before := r.to
	switch {
	case before.Status == api.RevisionInterrupted:
		tell(fmt.Sprintf("revision %s: already INTERRUPTED", before.ID))
		return nil
	case hasEnded(before.Status):
		return r.failed(refuse("revision %s is %s: only a rollout in progress can be interrupted", before.ID, before.Status))
	}
	tell(fmt.Sprintf("revision %s: interrupting its rollout, which is %s", before.ID, before.Status))
	status, err := r.Client.InterruptRevision(ctx, r.DeploymentID, before.ID)
	if err != nil && !client.MayHaveHappened(err) {
		return r.failed(err)
	}
	answer := fmt.Sprintf("The service answered with status %d", status)
	if err != nil {
		answer = fmt.Sprintf("The request failed: %s", mask.Text(ctx, err.Error()))
	} else if !slices.Contains([]int{http.StatusOK, http.StatusAccepted, http.StatusNoContent}, status) {
		tell(fmt.Sprintf("revision %s: the service answered with the unexpected status %d", before.ID, status))
	}
	now, unread := rollout.Follow(ctx, r.Policy, interruptedWithin, nil, func(ctx context.Context) (*api.Revision, bool, error) {
		now, err := r.Client.Revisions(r.DeploymentID).Get(ctx, before.ID)
		return now, err == nil && hasEnded(now.Status), err
	})
	return outcomeOf(before, now, unread, answer, tell)
}

// outcomeOf describes the end of an interrupted revision. now is the result of the last read, nil if it failed.
func outcomeOf(before api.Revision, now *api.Revision, unread error, answer string, tell func(message string)) diag.Diagnostics {
	switch {
	case now == nil:
		return framework.NewError(fmt.Sprintf("Unknown whether revision %s was interrupted", before.ID), "%s, and then the revision could not be "+
			"read: %s. Look at the revision before you run the action again.", answer, unread)
	case now.Status == api.RevisionInterrupted:
		tell(fmt.Sprintf("revision %s: INTERRUPTED", now.ID))
		return nil
	case hasEnded(now.Status):
		return framework.NewError(fmt.Sprintf("Revision %s was not interrupted", before.ID), "%s, but the revision finished as %s before the "+
			"interruption took effect. To return to another revision, use the action agentplane_roll_back.", answer, now.Status)
	case errors.Is(unread, context.Canceled):
		return framework.NewWarning("Stopped waiting for the interruption", "%s. Revision %s was %s when it was read last.", answer, now.ID,
			now.Status)
	}
	return framework.NewError(fmt.Sprintf("Revision %s was not interrupted", before.ID), "%s, but after %s the revision is still %s. The "+
		"interruption may still happen: look at the revision before you run the action again.", answer, interruptedWithin, now.Status)
}

// hasEnded reports whether a rollout can't be interrupted any longer.
func hasEnded(status api.RevisionStatus) bool {
	return status == api.RevisionInterrupted || status != "" && !rollout.InProgress(status)
}
