package deployment

import (
	"context"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/deployment/resourcespec"
)

// fingerprints identify the environment that the service has without storing its values. They show whether a planned environment differs,
// even with write-only values, after an import, and if the service hides values.
type fingerprints struct {
	// An empty MAC means a value that could never be read.
	framework.Fingerprint

	// Declared are the names that the resource sent as its own.
	Declared []string `json:"declared,omitempty"`
	// Unreported is true if the service returned an empty list after a write of variables: an empty list then has no meaning.
	Unreported bool `json:"unreported,omitempty"`
	// Spec is the record of resource_spec, which is stored separately.
	Spec resourcespec.Record `json:"-"`
}

// loadFingerprints returns empty fingerprints, which match no environment, if there are none yet.
func loadFingerprints(ctx context.Context, private framework.PrivateReader) (fingerprints, diag.Diagnostics) {
	var f fingerprints
	diags := framework.LoadPrivate(ctx, private, framework.EnvironmentKey, &f)
	diags.Append(framework.LoadPrivate(ctx, private, framework.ResourceSpecKey, &f.Spec)...)
	return f, diags
}

// Save writes the fingerprints and the spec. It hides Save of Fingerprint, which would write only a part.
func (f fingerprints) Save(ctx context.Context, private framework.PrivateWriter) diag.Diagnostics {
	diags := framework.SavePrivate(ctx, private, framework.EnvironmentKey, f)
	if f.Spec != nil {
		diags.Append(framework.SavePrivate(ctx, private, framework.ResourceSpecKey, f.Spec)...)
	}
	return diags
}

// names returns the sorted names of the service's variables for which match is true.
func (f fingerprints) names(match func(name string) bool) []string {
	var names []string
	for name := range f.MACs {
		if match(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// declares reports whether the resource sent a variable as its own.
func (f fingerprints) declares(name string) bool { return slices.Contains(f.Declared, name) }

// unreadable returns the names that the resource neither declares nor declared, and whose values could never be read.
func (f fingerprints) unreadable(planned map[string]types.String) []string {
	return f.names(func(name string) bool {
		_, ours := planned[name]
		return !ours && f.MACs[name] == "" && !f.declares(name)
	})
}

// holding returns fingerprints of what the service returned. A hidden value keeps its previous fingerprint.
func (f fingerprints) holding(current []api.Secret) fingerprints {
	if len(current) == 0 && f.Unreported {
		return f
	}
	next := f.emptied()
	next.Declared = f.Declared
	for _, secret := range current {
		if hidden(secret) {
			next.MACs[secret.Name] = f.MACs[secret.Name]
			continue
		}
		next.Add(secret.Name, secret.Value)
	}
	return next
}

// sent returns fingerprints of what the service accepted and returned. declared are the resource's own names.
func (f fingerprints) sent(sent []api.Secret, declared map[string]types.String, answered []api.Secret) fingerprints {
	next := f.emptied()
	for _, secret := range sent {
		next.Add(secret.Name, secret.Value)
	}
	next.Declared = slices.Sorted(maps.Keys(declared))
	next.Unreported = len(sent) > 0 && len(answered) == 0
	return next
}

// accepted returns the fingerprints after a write, whether it sent secrets or had none to send.
func (f fingerprints) accepted(plan model, sent, answered []api.Secret) fingerprints {
	if !plan.managesEnvironment() {
		return f.holding(answered)
	}
	declared, _ := plan.variables()
	return f.sent(sent, declared, answered)
}

// declaring returns fingerprints of the same environment with the names that plan declares now, if any.
func (f fingerprints) declaring(plan model) fingerprints {
	variables, _ := plan.variables()
	f.Declared = slices.Sorted(maps.Keys(variables))
	return f
}

// emptied returns fingerprints of the empty environment, and the same spec.
func (f fingerprints) emptied() fingerprints {
	return fingerprints{Fingerprint: f.Emptied(), Spec: f.Spec}
}
