package resourcespec

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	tfpath "github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Kubernetes' rules across several fields. The service accepts what violates them, but the rollout fails.

// validateVolumes requires exactly one source for each volume.
func validateVolumes(spec types.Object) diag.Diagnostics {
	var diags diag.Diagnostics
	for i, volume := range objects(spec.Attributes()["volumes"]) {
		var set, all []string
		unknown := volume.IsUnknown()
		for _, name := range slices.Sorted(maps.Keys(volume.Attributes())) {
			value := volume.Attributes()[name]
			unknown = unknown || value.IsUnknown()
			if name == "name" {
				continue
			}
			all = append(all, name)
			if !value.IsNull() {
				set = append(set, name)
			}
		}
		at := Path.AtName("volumes").AtListIndex(i)
		switch {
		case unknown || volume.IsNull():
		case len(set) == 0:
			diags.AddAttributeError(at, "Volume without a source", fmt.Sprintf("%s has no source. Set one of %s; for an "+
				"empty directory, set empty_dir_json = \"{}\".", at, strings.Join(all, ", ")))
		case len(set) > 1:
			diags.AddAttributeError(at, "Volume with multiple sources", fmt.Sprintf("%s has more than one source: %s. Keep one of them.", at,
				strings.Join(set, ", ")))
		}
	}
	return diags
}

// validateMountPlaces checks the mount paths in each container.
func validateMountPlaces(spec types.Object) diag.Diagnostics {
	diags := refuseMounts(Path.AtName("volume_mounts"), spec.Attributes()["volume_mounts"])
	for _, list := range []string{"init_containers", "sidecars"} {
		for i, container := range objects(spec.Attributes()[list]) {
			at := Path.AtName(list).AtListIndex(i)
			diags.Append(refuseMounts(at.AtName("volume_mounts"), container.Attributes()["volume_mounts"])...)
			if resources, ok := container.Attributes()["resources"].(types.Object); ok {
				diags.Append(refuseRequests(at.AtName("resources"), resources)...)
			}
		}
	}
	return diags
}

// refuseMounts refuses mounts of one container at the same path, and mounts with both sub_path and sub_path_expr.
func refuseMounts(at tfpath.Path, mounts attr.Value) diag.Diagnostics {
	var diags diag.Diagnostics
	seen := map[string]tfpath.Path{}
	for i, mount := range objects(mounts) {
		at := at.AtListIndex(i)
		subPath, expr := mount.Attributes()["sub_path"], mount.Attributes()["sub_path_expr"]
		if _, ok := knownText(subPath); ok && expr != nil && !expr.IsNull() {
			diags.AddAttributeError(at.AtName("sub_path_expr"), "Conflicting paths",
				fmt.Sprintf("%s has both sub_path and sub_path_expr. Keep one of them.", at))
		}
		place, ok := knownText(mount.Attributes()["mount_path"])
		if !ok {
			continue
		}
		at = at.AtName("mount_path")
		if first, twice := seen[path.Clean(place)]; twice {
			diags.AddAttributeError(at, "Duplicate mount path",
				fmt.Sprintf("%s is %q, which is already used by %s. Choose another path.", at, place, first))
			continue
		}
		seen[path.Clean(place)] = at
	}
	return diags
}

// refuseRequests refuses resource requests that exceed their limits.
func refuseRequests(at tfpath.Path, resources types.Object) diag.Diagnostics {
	var diags diag.Diagnostics
	requests, _ := resources.Attributes()["requests"].(types.Map)
	limits, _ := resources.Attributes()["limits"].(types.Map)
	for _, name := range slices.Sorted(maps.Keys(requests.Elements())) {
		request, known := knownText(requests.Elements()[name])
		limit, limited := knownText(limits.Elements()[name])
		if !known || !limited {
			continue
		}
		low, err := parseQuantity(request)
		high, wrong := parseQuantity(limit)
		if err == nil && wrong == nil && low.Cmp(high) > 0 {
			at := at.AtName("requests").AtMapKey(name)
			diags.AddAttributeError(at, "Value exceeds limit",
				fmt.Sprintf("%s is %q, which is more than the limit (%q). Lower one or raise the other.", at, request, limit))
		}
	}
	return diags
}
