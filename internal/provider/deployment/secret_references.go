package deployment

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// referencesReasons returns how the managed references differ from those of the service. current are those that it reports; they are compared
// if the state has none.
func referencesReasons(planned, state types.Map, current []api.SecretReference) reasons {
	var references reasons
	if planned.IsNull() {
		return references
	}
	starts := state.IsNull()
	if starts && current != nil {
		state = allSecretReferences(current)
	}
	references.addMap("secret_references", planned, state)
	references.undecided = references.undecided || starts && references.any()
	return references
}

// newSecretReferences returns those that the service has. Null, which means not managed, stays null; if the service
// reports none at all, the known ones are kept.
func newSecretReferences(prior types.Map, answer []api.SecretReference) types.Map {
	switch {
	case prior.IsNull() || prior.IsUnknown():
		return noReferences()
	case answer == nil:
		return prior
	}
	return allSecretReferences(answer)
}

// allSecretReferences returns those that the service has, managed or not; null if it doesn't report them.
func allSecretReferences(answer []api.SecretReference) types.Map {
	if answer == nil {
		return noReferences()
	}
	references := map[string]attr.Value{}
	for _, reference := range answer {
		references[reference.Name] = framework.ToObject(attributeTypes("secret_references"), secretReferenceModel{
			SecretName: types.StringValue(reference.SecretName), SecretKey: types.StringValue(reference.SecretKey),
		})
	}
	return types.MapValueMust(referenceType(), references)
}

func noReferences() types.Map { return types.MapNull(referenceType()) }

func referenceType() attr.Type {
	return types.ObjectType{AttrTypes: attributeTypes("secret_references")}
}

func (m model) toSecretReferences() api.Optional[[]api.SecretReference] {
	if m.SecretReferences.IsNull() || m.SecretReferences.IsUnknown() {
		return api.Optional[[]api.SecretReference]{}
	}
	elements := m.SecretReferences.Elements()
	references := make([]api.SecretReference, 0, len(elements))
	for _, name := range slices.Sorted(maps.Keys(elements)) {
		object, _ := elements[name].(types.Object)
		reference := framework.FromObject[secretReferenceModel](object)
		references = append(references, api.SecretReference{
			Name: name, SecretName: reference.SecretName.ValueString(), SecretKey: reference.SecretKey.ValueString(),
		})
	}
	return api.Some(references)
}

// validateReferences refuses variables that are set twice.
func validateReferences(config model) diag.Diagnostics {
	var diags diag.Diagnostics
	merged, _ := config.variables()
	for name := range config.SecretReferences.Elements() {
		if _, twice := merged[name]; twice {
			diags.AddAttributeError(path.Root("secret_references").AtMapKey(name), "Variable in two maps",
				fmt.Sprintf("%s is set both from a Kubernetes secret and in environment, secrets or secrets_wo. Keep only one.", name))
		}
	}
	return diags
}
