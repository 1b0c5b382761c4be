package deployment

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// referencesReasons say how the managed references differ from what the service has. current is what it reports, for a state without
// references; then the service decides.
func referencesReasons(ctx context.Context, planned, state types.Map, current []api.SecretReference) (reasons, diag.Diagnostics) {
	var references reasons
	var diags diag.Diagnostics
	if planned.IsNull() {
		return references, nil
	}
	looksUp := state.IsNull()
	if looksUp && current != nil {
		state, diags = allSecretReferences(ctx, current)
	}
	references.addMap("secret_references", planned, state)
	references.undecided = references.undecided || looksUp && references.any()
	return references, diags
}

// newSecretReferences returns those that the service has. Null, which means not managed, stays null; if the service
// reports none at all, the known ones are kept.
func newSecretReferences(ctx context.Context, prior types.Map, answer []api.SecretReference) (types.Map, diag.Diagnostics) {
	switch {
	case prior.IsNull() || prior.IsUnknown():
		return noReferences(), nil
	case answer == nil:
		return prior, nil
	}
	return allSecretReferences(ctx, answer)
}

// allSecretReferences returns those that the service has, managed or not; null if it doesn't report them.
func allSecretReferences(ctx context.Context, answer []api.SecretReference) (types.Map, diag.Diagnostics) {
	if answer == nil {
		return noReferences(), nil
	}
	references := map[string]secretReferenceModel{}
	for _, reference := range answer {
		references[reference.Name] = secretReferenceModel{
			SecretName: types.StringValue(reference.SecretName), SecretKey: types.StringValue(reference.SecretKey),
		}
	}
	return types.MapValueFrom(ctx, referenceType(), references)
}

func noReferences() types.Map { return types.MapNull(referenceType()) }

func referenceType() attr.Type {
	if m, is := deploymentSchema().Attributes["secret_references"].GetType().(attr.TypeWithElementType); is {
		return m.ElementType()
	}
	panic("secret_references is no map")
}

func (m model) toSecretReferences(ctx context.Context) (api.Optional[[]api.SecretReference], diag.Diagnostics) {
	if m.SecretReferences.IsNull() || m.SecretReferences.IsUnknown() {
		return api.Optional[[]api.SecretReference]{}, nil
	}
	byName := map[string]secretReferenceModel{}
	diags := m.SecretReferences.ElementsAs(ctx, &byName, false)
	references := make([]api.SecretReference, 0, len(byName))
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		references = append(references, api.SecretReference{
			Name: name, SecretName: byName[name].SecretName.ValueString(), SecretKey: byName[name].SecretKey.ValueString(),
		})
	}
	return api.Some(references), diags
}

// validateReferences refuses variables that are set twice.
func validateReferences(config model) diag.Diagnostics {
	var diags diag.Diagnostics
	if source := config.Source; slices.Contains(inCloud, api.Source(source.ValueString())) &&
		!config.SecretReferences.IsNull() && !config.SecretReferences.IsUnknown() {
		diags.AddAttributeError(path.Root("secret_references"), "Attribute of another source",
			fmt.Sprintf("secret_references applies only to deployments of source %q, but source is %q. Remove it, or change source.",
				api.SourceExternalContainer, source.ValueString()))
	}
	merged, _ := config.variables()
	for name := range config.SecretReferences.Elements() {
		if _, twice := merged[name]; twice {
			diags.AddAttributeError(path.Root("secret_references").AtMapKey(name), "Variable in two maps",
				fmt.Sprintf("%s is set both from a Kubernetes secret and in environment, secrets or secrets_wo. Keep "+
					"only one.", name))
		}
	}
	return diags
}
