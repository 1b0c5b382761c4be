package deployment

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/poll"
	"github.com/agentplane/terraform-provider-agentplane/internal/rollout"
)

// State, diagnostics and the service must agree, also if others change the deployment at the same time: unless there is a warning, the
// service has every configured attribute.

// apply is the request of a creation or an update, with which its outcome is compared.
type apply struct {
	client       *client.Client
	plan, config model
	// prints are the fingerprints of the environment that the service has accepted.
	prints   fingerprints
	*updated // Nil for a creation.
}

// updated is the part of an apply that only updates have.
type updated struct {
	state       model
	priorPrints fingerprints
	change      change
	proof       rollout.Proof
}

// stored returns what an apply stores: the planned values, and otherwise what the service returned. The status of a revision is stored only
// together with its ID.
func (a apply) stored(ctx context.Context, answer api.Deployment, revision api.Revision) model {
	latest := framework.PlannedOr(a.plan.LatestRevisionID, framework.String(answer.LatestRevisionID)).ValueString()
	switch {
	case latest == revision.ID:
	case answer.ActiveRevisionID != nil && latest == *answer.ActiveRevisionID:
		revision.Status = api.RevisionDeployed
	default:
		revision.Status = ""
	}
	return applied(ctx, a.plan, newModel(a.plan, answer, revision.Status, a.prints).withDashboardURL(a.client))
}

// applied returns the planned values, and otherwise those of answered.
func applied(ctx context.Context, plan, answered model) model {
	m := framework.KeepPlanned(ctx, plan, answered)
	m.SecretsWO = types.MapNull(types.StringType)
	return m
}

// diagnose returns what to store at the end of an apply, and what to tell the user. If the service doesn't have what an update changes, that
// is an error, and the state is what the service has: Terraform accepts that only with an error.
func (a apply) diagnose(ctx context.Context, o outcome) (model, fingerprints, diag.Diagnostics) {
	diags := append(a.rolloutDiagnostics(o), a.readDiagnostics(o)...)
	now, prints := o.deployment, a.prints
	if o.deleted {
		return model{}, prints, diags
	}
	var differing []string
	if o.unread == nil {
		differing = a.differences(a.config, now, prints)
		if now.Status.BeingDeleted() {
			diags.AddError(fmt.Sprintf("Deployment %q is being deleted", now.Name), fmt.Sprintf("Another user or process is deleting deployment %s. "+
				"Plan again when it is gone.", now.ID))
		}
		if lost := a.lost(differing); len(lost) > 0 {
			diags.AddError(fmt.Sprintf("Change of deployment %q was superseded", now.Name), fmt.Sprintf("%s. The deployment doesn't have this "+
				"apply's value of %s. The state has what the service has: check that change, then plan again.", o.superseding(), some(lost)))
			prints = prints.holding(now.Secrets)
			return newModel(a.plan, now, o.newest.Status, prints).withDashboardURL(a.client), prints, diags
		}
	}
	rest := ""
	if len(differing) > 0 {
		rest = fmt.Sprintf(" The deployment differs from the configuration in %s: the next plan shows it.", some(differing))
	}
	if text := a.changedByOthers(now); text != "" {
		diags.AddWarning(fmt.Sprintf("Deployment %q was changed after the plan", now.Name), text+rest)
		rest = ""
	}
	switch {
	case o.unread != nil:
	case len(o.Superseded) > 0:
		if slices.ContainsFunc(now.Secrets, hidden) {
			rest += " Hidden values of variables can't be compared."
		}
		diags.AddWarning(fmt.Sprintf("Revision of deployment %q was superseded", now.Name), o.superseding()+"."+rest)
	case rest != "":
		diags.AddWarning(fmt.Sprintf("Deployment %q differs from the configuration", now.Name), "It may have been changed outside this apply."+rest)
	}
	return a.stored(ctx, now, o.newest), prints, diags
}

// rolloutDiagnostics explains why the revision isn't deployed, and what to do. A cancellation is only a warning: Terraform exits with its own
// error, but doesn't taint a deployment that may still become healthy.
func (a apply) rolloutDiagnostics(o outcome) diag.Diagnostics {
	name, id, created := o.deployment.Name, o.Revision.ID, a.updated == nil
	switch o.ending {
	case deployed:
	case failed:
		log, next := "", "Fix the problem and apply again: the next apply makes a new revision."
		if len(o.log) > 0 {
			log = "\n\n" + strings.Join(o.log, "\n")
		}
		if created && !a.keeps() {
			next = "Fix the problem and apply again: the next apply replaces the deployment. To repair it instead, run " +
				"`terraform untaint` with its address first, or set on_failed_create to \"keep\"."
		}
		return framework.NewError(fmt.Sprintf("Rollout of deployment %q failed", name),
			"%s\n\nRevision: %s · status: %s · after %s%s\n\n%s", o.err, id, o.Revision.Status, o.elapsed, log, next)
	case late:
		next := "The rollout may still succeed: the next apply resumes waiting."
		if created && !a.keeps() {
			next = "The rollout may still succeed. To make the next apply resume waiting, run `terraform untaint` with its " +
				"address first; otherwise it replaces the deployment." + keptProject(a.client.Dialect(), a.plan)
		}
		if o.Revision.Status == api.RevisionInterrupted { // Waiting alone may not help.
			next += " If the interrupted rollout doesn't continue, make a new revision with the action " +
				"agentplane_redeploy_revision or in the service."
		}
		return framework.NewError(fmt.Sprintf("Deployment %q was not rolled out in time", name),
			"%s\n\nRevision: %s · last status: %s · after %s of %s\n\n%s To allow more time, raise `timeouts`.",
			o.LastProblem(o.err), id, o.Status(), o.elapsed, poll.Rounded(o.limit), next)
	case interrupted:
		return framework.NewWarning(fmt.Sprintf("Stopped waiting for deployment %q", name),
			"The rollout continues. The next apply resumes waiting.\n\nRevision: %s · last status: %s · after %s", id, o.Status(), o.elapsed)
	case notShown:
		if created && client.IsNotFound(o.err) {
			return framework.NewError(fmt.Sprintf("Deployment %q isn't shown by the service", name), "Deployment %s was created, but the service "+
				"answers 404 for it. It stays in state; plan again in a minute.\n\nRevision: %s", o.DeploymentID, id)
		}
		return framework.NewError(fmt.Sprintf("Cannot follow the rollout of deployment %q", name),
			"The service accepted the change, but the status of the rollout can't be read: %s Fix access and check that nothing in "+
				"front of the service answers for it, then plan again: the next apply resumes waiting.\n\nRevision: %s",
			framework.Sentence(o.err.Error()), id)
	}
	return nil
}

// readDiagnostics explains why the deployment could not be read after the rollout.
func (a apply) readDiagnostics(o outcome) diag.Diagnostics {
	switch name := o.deployment.Name; {
	case o.deleted:
		next := "The next plan removes it from the state."
		if a.updated == nil {
			next = "Nothing is stored in the state: apply again to create it."
		}
		return framework.NewError(fmt.Sprintf("Deployment %q was deleted", name),
			"Another user or process deleted deployment %s while this apply was waiting for its rollout. %s", o.DeploymentID, next)
	case o.unread != nil && o.ending != notShown && (!o.cancelled || o.Revision.Status == api.RevisionDeployed):
		return framework.NewWarning("Deployment not read back", "The service accepted the change, but reading "+
			"deployment %q afterwards doesn't show it: %s The next plan refreshes it.", name, framework.Sentence(o.unread.Error()))
	}
	return nil
}

// keeps reports whether a creation whose rollout fails ends with a warning instead of an error.
func (a apply) keeps() bool { return a.plan.OnFailedCreate.ValueString() == onFailedCreateKeep }

// lost returns the attributes of an update's change that are among the differing ones.
func (a apply) lost(differing []string) []string {
	if a.updated == nil {
		return nil
	}
	return slices.DeleteFunc(a.change.attributes(), func(at string) bool { return !slices.Contains(differing, at) })
}

// changedByOthers describes what others changed after the refresh of an update's plan, and which of these changes the update has overwritten.
// It is empty if there are none.
func (a apply) changedByOthers(now api.Deployment) string {
	if a.updated == nil {
		return ""
	}
	before := a.proof.Before
	theirs := a.differences(a.state, before, a.priorPrints)
	held := a.priorPrints.holding(before.Secrets)
	for _, name := range a.state.EnvironmentNames.Elements() { // Variables that nothing declares are only there.
		if name, ok := name.(types.String); ok {
			seen := path.Root("environment_names").AtMapKey(name.ValueString()).String()
			theirs = slices.DeleteFunc(theirs, func(at string) bool { return at == seen })
		}
	}
	theirs = slices.DeleteFunc(theirs, func(at string) bool { // A state has no values of secrets_wo.
		name, found := strings.CutPrefix(at, "secrets_wo[")
		name, _ = strconv.Unquote(strings.TrimSuffix(name, "]"))
		return found && held.MACs[name] == a.priorPrints.MACs[name]
	})
	wanted, remaining := a.differences(a.config, before, a.priorPrints), a.differences(a.state, now, a.prints)
	ours := a.change.attributes()
	overwritten := slices.DeleteFunc(theirs, func(at string) bool {
		return slices.Contains(remaining, at) && (!slices.Contains(ours, at) || !slices.Contains(wanted, at))
	})
	text := "Another user or process changed it"
	made := madeByOthers(a.proof, a.state.LatestRevisionID.ValueStringPointer(), a.change.revision())
	switch {
	case len(made) > 1 && !a.proof.Named:
		text = fmt.Sprintf("Revisions %s were made, one of them by this update,", strings.Join(made, ", "))
	case len(made) > 0:
		text = fmt.Sprintf("Another user or process made %s", strings.Join(made, ", "))
	case len(overwritten) == 0:
		return ""
	}
	text += " after the refresh of this plan."
	if len(a.proof.Foreign) > 0 && (a.change.variables() || a.change.resourceSpec.any()) {
		text += " This update sent the whole environment or resource_spec, so that change may be lost: check it, and make it again if it is."
	}
	if len(overwritten) > 0 {
		text += fmt.Sprintf(" This update has overwritten its value of %s.", some(overwritten))
	}
	return text
}

// madeByOthers returns the revisions that others made after a known one, with that of a write which may be one of them. revises reports
// whether the write makes a revision.
func madeByOthers(proof rollout.Proof, known *string, revises bool) (made []string) {
	newest := proof.Before.LatestRevisionID
	if !revises {
		newest = proof.Deployment.LatestRevisionID
	}
	if newest != nil && known != nil && *newest != *known {
		made = append(made, *newest)
	}
	for _, revision := range slices.Backward(proof.Foreign) {
		made = append(made, revision.ID)
	}
	if len(proof.Foreign) > 0 && !proof.Named {
		made = append(made, proof.Revision.ID)
	}
	return made
}

// differences returns the attributes of m of which a deployment has another value, as a plan would show them. Values that can't be read
// count as equal.
func (a apply) differences(m model, d api.Deployment, prints fingerprints) []string {
	prints = prints.holding(d.Secrets)
	shown := newModel(a.plan, d, "", prints)
	c := newChange(m, shown, prints, d.SourceConfig.ResourceSpec)
	c.references = referencesReasons(m.SecretReferences, shown.SecretReferences, d.SecretReferences)
	return c.attributes()
}

// superseding names the revision, if any, that has replaced those of this apply.
func (o outcome) superseding() string {
	if len(o.Superseded) == 0 {
		return "Another user or process changed it while this apply was running"
	}
	followed := ""
	if len(o.Superseded) > 1 {
		followed = strings.Join(o.Superseded[1:], ", ") + " and "
	}
	return fmt.Sprintf("Revision %s of this apply is no longer the newest: a push or another user made %s%s", o.Superseded[0], followed, o.newest.ID)
}

// some lists at most five attributes.
func some(attributes []string) string {
	const most = 5
	slices.Sort(attributes)
	if more := len(attributes) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(attributes[:most], ", "), more)
	}
	return strings.Join(attributes, ", ")
}
