package resourcespec

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// Validate checks rules across several fields of the spec, as far as they are known.
func Validate(spec types.Object) diag.Diagnostics {
	if spec.IsNull() || spec.IsUnknown() {
		return nil
	}
	diags := newFigures(spec).crossed()
	diags.Append(validateNames(spec)...)
	diags.Append(validateMounts(spec)...)
	diags.Append(validateVolumes(spec)...)
	diags.Append(validateMountPlaces(spec)...)
	for _, containers := range []string{"init_containers", "sidecars"} {
		diags.Append(validateContainers(spec, containers)...)
	}
	return diags
}

// validateNames refuses duplicate names. All containers share one namespace.
func validateNames(spec types.Object) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, lists := range [][]string{{"volumes"}, {"image_pull_secrets"}, {"init_containers", "sidecars"}} {
		seen := map[string]path.Path{}
		for _, list := range lists {
			for i, element := range objects(spec.Attributes()[list]) {
				at := Path.AtName(list).AtListIndex(i).AtName("name")
				diags.Append(refuseTwice(seen, at, element.Attributes()["name"])...)
			}
		}
	}
	return diags
}

func refuseTwice(seen map[string]path.Path, at path.Path, value attr.Value) diag.Diagnostics {
	name, ok := knownText(value)
	if !ok {
		return nil
	}
	if first, twice := seen[name]; twice {
		return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(at, "Duplicate name",
			fmt.Sprintf("%s is %q, which is already used at %s. Names must be unique.", at, name, first))}
	}
	seen[name] = at
	return nil
}

// validateMounts refuses mounts of volumes that don't exist, unless the name of a volume is unknown.
func validateMounts(spec types.Object) diag.Diagnostics {
	volumes, complete := map[string]bool{}, !spec.Attributes()["volumes"].IsUnknown()
	for _, volume := range objects(spec.Attributes()["volumes"]) {
		name, ok := knownText(volume.Attributes()["name"])
		complete = complete && ok
		volumes[name] = true
	}
	if !complete {
		return nil
	}
	diags := refuseUnknownVolumes(volumes, Path.AtName("volume_mounts"), spec.Attributes()["volume_mounts"])
	for _, list := range []string{"init_containers", "sidecars"} {
		for i, container := range objects(spec.Attributes()[list]) {
			at := Path.AtName(list).AtListIndex(i).AtName("volume_mounts")
			diags.Append(refuseUnknownVolumes(volumes, at, container.Attributes()["volume_mounts"])...)
		}
	}
	return diags
}

func refuseUnknownVolumes(volumes map[string]bool, at path.Path, mounts attr.Value) diag.Diagnostics {
	var diags diag.Diagnostics
	for i, mount := range objects(mounts) {
		if name, ok := knownText(mount.Attributes()["name"]); ok && !volumes[name] {
			at := at.AtListIndex(i).AtName("name")
			diags.AddAttributeError(at, "Mount without volume", fmt.Sprintf("%s is %q, but no volume has that name. Add it to "+
				"source_config.resource_spec.volumes, or correct the name.", at, name))
		}
	}
	return diags
}

func validateContainers(spec types.Object, list string) diag.Diagnostics {
	var diags diag.Diagnostics
	for i, container := range objects(spec.Attributes()[list]) {
		env := Path.AtName(list).AtListIndex(i).AtName("env")
		seen := map[string]path.Path{}
		for j, variable := range objects(container.Attributes()["env"]) {
			diags.Append(refuseTwice(seen, env.AtListIndex(j).AtName("name"), variable.Attributes()["name"])...)
			value, _ := knownText(variable.Attributes()["value"])
			from, ok := variable.Attributes()["value_from_json"].(jsontypes.Normalized)
			if value != "" && ok && !from.IsNull() && !from.IsUnknown() {
				at := env.AtListIndex(j)
				diags.AddAttributeError(at.AtName("value_from_json"), "Conflicting values",
					fmt.Sprintf("%s has both value and value_from_json. Keep one of them.", at))
			}
		}
	}
	return diags
}

// RefuseContainers refuses settings of containers that the service doesn't accept, unless the state has them already: then the service
// accepted them.
func RefuseContainers(planned, state types.Object) diag.Diagnostics {
	has := map[string]bool{}
	eachContainer(state, func(_ path.Path, attribute, text string) { has[attribute+text] = true })
	var diags diag.Diagnostics
	eachContainer(planned, func(at path.Path, attribute, text string) {
		switch {
		case has[attribute+text]:
		case attribute == "image":
			diags.Append(framework.RefuseDigest(at, text)...)
		case attribute == initPolicy:
			diags.AddAttributeError(at, "Invalid "+at.String(), fmt.Sprintf("%s is %q, but only sidecars can be restarted. Remove it, or make the "+
				"container a sidecar.", at, text))
		}
	})
	return diags
}

// initPolicy is the restart_policy of an init container.
const initPolicy = "restart_policy of an init container"

// eachContainer calls do with the known images of all containers, and the policies of init containers.
func eachContainer(spec types.Object, do func(at path.Path, attribute, text string)) {
	for _, list := range []string{"init_containers", "sidecars"} {
		for i, container := range objects(spec.Attributes()[list]) {
			at := Path.AtName(list).AtListIndex(i)
			if image, ok := knownText(container.Attributes()["image"]); ok {
				do(at.AtName("image"), "image", image)
			}
			if policy, ok := knownText(container.Attributes()["restart_policy"]); ok && list == "init_containers" {
				do(at.AtName("restart_policy"), initPolicy, policy)
			}
		}
	}
}

// objects returns the elements of a list of objects, none while the list is unknown. An element that is unknown as a whole
// has no attributes.
func objects(list attr.Value) []types.Object {
	elements, ok := list.(types.List)
	if !ok {
		return nil
	}
	all := make([]types.Object, 0, len(elements.Elements()))
	for _, element := range elements.Elements() {
		if object, ok := element.(types.Object); ok {
			all = append(all, object)
		}
	}
	return all
}

func knownText(value attr.Value) (string, bool) {
	text, ok := value.(types.String)
	return text.ValueString(), ok && !text.IsNull() && !text.IsUnknown()
}
