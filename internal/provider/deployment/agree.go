package deployment

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/rollout"
)

// What the service has, what the state says and what the diagnostics claim must agree, also where others change the deployment at the
// same time: without a warning, the service has every configured attribute.

// settled compares what the service has after an apply with what was configured, planned and changed, and stores it. superseded are the
// revisions of this apply that a newer one has replaced. If the service doesn't have what an update changes, that is an error, and the
// state is what the service has; Terraform accepts that only with an error.
func (w stateWriter) settled(ctx context.Context, superseded []string, now api.Deployment, revision api.Revision) diag.Diagnostics {
	differing, diags := w.differences(w.config, now, w.prints)
	if now.Status.BeingDeleted() {
		diags.AddError(fmt.Sprintf("Deployment %q is being deleted", now.Name), fmt.Sprintf("Another user or process is deleting deployment %s. "+
			"Plan again when it is gone.", now.ID))
	}
	lost := slices.DeleteFunc(w.change.attributes(), func(at string) bool { return !slices.Contains(differing, at) })
	if w.proof != nil && len(lost) > 0 {
		diags.AddError(fmt.Sprintf("Change of deployment %q was superseded", now.Name), fmt.Sprintf("%s. The deployment doesn't have this "+
			"apply's value of %s. The state has what the service has: check that change, then plan again.", superseding(superseded, revision), some(lost)))
		w.prints = w.prints.holding(now.Secrets)
		diags.Append(w.prints.save(ctx, w.private)...)
		shown, d := newModel(w.plan, now, revision.Status, w.prints)
		diags.Append(d...)
		diags.Append(w.set(ctx, shown.withDashboardURL(w.client))...)
		return diags
	}
	diags.Append(w.stale(now, &differing)...)
	rest := ""
	if len(differing) > 0 {
		rest = fmt.Sprintf(" The deployment differs from the configuration in %s: the next plan shows it.", some(differing))
	}
	switch {
	case len(superseded) > 0:
		if slices.ContainsFunc(now.Secrets, hidden) {
			rest += " Hidden values of variables can't be compared."
		}
		diags.AddWarning(fmt.Sprintf("Revision of deployment %q was superseded", now.Name), superseding(superseded, revision)+"."+rest)
	case rest != "":
		diags.AddWarning(fmt.Sprintf("Deployment %q differs from the configuration", now.Name), "It may have been changed outside this apply."+rest)
	}
	return append(diags, w.keep(ctx, now, revision)...)
}

// stale warns of changes that others made after the refresh of the plan, and says what this update has overwritten of them. It removes
// from differing what it names.
func (w stateWriter) stale(now api.Deployment, differing *[]string) diag.Diagnostics {
	if w.proof == nil {
		return nil
	}
	before := w.proof.Before
	theirs, diags := w.differences(w.state, before, w.priorPrints)
	held := w.priorPrints.holding(before.Secrets)
	theirs = slices.DeleteFunc(theirs, func(at string) bool { // A state has no values of secrets_wo.
		name, found := strings.CutPrefix(at, "secrets_wo[")
		name, _ = strconv.Unquote(strings.TrimSuffix(name, "]"))
		return found && held.MACs[name] == w.priorPrints.MACs[name]
	})
	wanted, d := w.differences(w.config, before, w.priorPrints)
	diags.Append(d...)
	remaining, d := w.differences(w.state, now, w.prints)
	diags.Append(d...)
	ours := w.change.attributes()
	overwritten := slices.DeleteFunc(theirs, func(at string) bool {
		return slices.Contains(remaining, at) && (!slices.Contains(ours, at) || !slices.Contains(wanted, at))
	})
	text := "Another user or process changed it"
	made := foreign(*w.proof, w.state.LatestRevisionID.ValueStringPointer(), w.change.revision())
	switch {
	case len(made) > 1 && !w.proof.Named:
		text = fmt.Sprintf("Revisions %s were made, one of them by this update,", strings.Join(made, ", "))
	case len(made) > 0:
		text = fmt.Sprintf("Another user or process made %s", strings.Join(made, ", "))
	case len(overwritten) == 0:
		return diags
	}
	text += " after the refresh of this plan."
	if len(w.proof.Foreign) > 0 && (w.change.variables() || w.change.resourceSpec.any()) {
		text += " This update sent the whole environment or resource_spec, so that change may be lost: check it, and make it again if it is."
	}
	if len(overwritten) > 0 {
		text += fmt.Sprintf(" This update has overwritten its value of %s.", some(overwritten))
	}
	if len(*differing) > 0 {
		text += fmt.Sprintf(" The deployment differs from the configuration in %s: the next plan shows it.", some(*differing))
		*differing = nil
	}
	diags.AddWarning(fmt.Sprintf("Deployment %q was changed after the plan", now.Name), text)
	return diags
}

// foreign returns the revisions that others made since a known one, with that of an update which may be one of them. makes says whether
// the update makes a revision.
func foreign(proof rollout.Proof, known *string, makes bool) (made []string) {
	newest := proof.Before.LatestRevisionID
	if !makes {
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

// differences returns the attributes of m of which a deployment has another value, as a plan would show them. What can't be read counts
// as equal.
func (w stateWriter) differences(m model, d api.Deployment, prints fingerprints) ([]string, diag.Diagnostics) {
	prints = prints.holding(d.Secrets)
	shown, diags := newModel(w.plan, d, "", prints)
	c, more := newChange(m, shown, prints, d.SourceConfig.ResourceSpec)
	c.references = referencesReasons(m.SecretReferences, shown.SecretReferences, d.SecretReferences)
	return c.attributes(), append(diags, more...)
}

// superseding says which revision, if any, has replaced those of this apply.
func superseding(superseded []string, newest api.Revision) string {
	if len(superseded) == 0 {
		return "Another user or process changed it while this apply was running"
	}
	followed := ""
	if len(superseded) > 1 {
		followed = strings.Join(superseded[1:], ", ") + " and "
	}
	return fmt.Sprintf("Revision %s of this apply is no longer the newest: a push or another user made %s%s", superseded[0], followed, newest.ID)
}

// some names attributes, but not very many.
func some(attributes []string) string {
	const most = 5
	slices.Sort(attributes)
	if more := len(attributes) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(attributes[:most], ", "), more)
	}
	return strings.Join(attributes, ", ")
}

// gone is the error of a deployment that was deleted during its rollout.
func (w *rolling) gone() diag.Diagnostic {
	next := "The next plan removes it from the state."
	if w.creation {
		next = "Nothing is stored in the state: apply again to create it."
	}
	return diag.NewErrorDiagnostic(fmt.Sprintf("Deployment %q was deleted", w.name),
		fmt.Sprintf("Another user or process deleted deployment %s while this apply was waiting for its rollout. %s", w.DeploymentID, next))
}
