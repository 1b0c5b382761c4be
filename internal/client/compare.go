package client

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// deploymentDiffers describes how a deployment differs from the request.
func deploymentDiffers(dialect *api.Dialect, req api.DeploymentCreateRequest, d api.Deployment) string {
	if d.Source != req.Source {
		return fmt.Sprintf("its source is %s", d.Source)
	}
	if path, different := mismatch(req.SourceConfig, d.SourceConfig); different {
		return "its source_config" + path + " differs"
	}
	if path, different := mismatch(req.SourceRevisionConfig, asAsked(dialect, req, d)); different {
		return "its source_revision_config" + path + " differs"
	}
	if len(d.Secrets) > 0 && !slices.Equal(secretNames(req.Secrets), secretNames(d.Secrets)) {
		return "its secrets differ"
	}
	// Fields of extended dialects may also be missing in responses.
	if asked, _ := req.SecretReferences.Get(); len(d.SecretReferences) > 0 && !SameReferences(asked, d.SecretReferences) {
		return "its secret_references differ"
	}
	if asked, sent := req.Shareable.Get(); sent && d.Shareable != nil && *d.Shareable != asked {
		return fmt.Sprintf("its shareable is %t", *d.Shareable)
	}
	if !Shows(req.RouteThroughGateway, d.RouteThroughGateway) && d.RouteThroughGateway != nil {
		return fmt.Sprintf("its route_through_gateway is %t", *d.RouteThroughGateway)
	}
	return ""
}

// asAsked returns the revision's configuration with the requested ref, if the service returns what it resolved that to. A commit
// proves nothing, because many refs resolve to it. The branch does.
func asAsked(dialect *api.Dialect, req api.DeploymentCreateRequest, d api.Deployment) api.SourceRevisionConfig {
	reported := d.SourceRevisionConfig
	asked, sent := req.SourceRevisionConfig.RepoRef.Get()
	branch := d.SourceConfig.RepoBranch
	if dialect.ResolvesRepoRef && sent && branch != nil && (reported.RepoRef == nil || *reported.RepoRef != asked) {
		reported.RepoRef = branch
	}
	return reported
}

// SameReferences compares references in any order.
func SameReferences(a, b []api.SecretReference) bool {
	byName := func(x, y api.SecretReference) int { return cmp.Compare(x.Name, y.Name) }
	return slices.Equal(slices.SortedFunc(slices.Values(a), byName), slices.SortedFunc(slices.Values(b), byName))
}

func secretNames(secrets []api.Secret) []string {
	names := make([]string, len(secrets))
	for i, s := range secrets {
		names[i] = s.Name
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Shows reports whether a service has the value of a field that was sent; true if the field wasn't sent.
func Shows[T comparable](sent api.Optional[T], current *T) bool {
	value, ok := sent.Get()
	return !ok || current != nil && *current == value
}

// sameSet reports whether two lists have the same elements: services may sort them.
func sameSet(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// unechoed are the fields of source_config that installations accept and don't return.
var unechoed = []string{"listener_config", "install_command", "build_command"}

// mismatch compares the sent values with the returned ones, as JSON, and describes the first difference. Only sent values count,
// because services add defaults.
func mismatch(sent, reported any) (string, bool) {
	want, got := tree(sent), tree(reported)
	if fields, ok := want.(map[string]any); ok {
		reported, _ := got.(map[string]any)
		for _, name := range unechoed {
			if reported[name] == nil {
				delete(fields, name)
			}
		}
	}
	return difference(want, got)
}

// tree preserves the spelling of numbers. Both sides use the same structs, so equal numbers are spelt alike.
func tree(v any) any {
	data, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var out any
	if decoder.Decode(&out) != nil {
		return nil
	}
	return out
}

// difference looks for a part of want that is missing or different in got, and describes where. An empty list or object equals a
// missing one.
func difference(want, got any) (string, bool) {
	switch w := want.(type) {
	case nil:
		return "", false
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok && (got != nil || len(w) > 0) {
			return "", true
		}
		for _, name := range slices.Sorted(maps.Keys(w)) {
			if path, different := difference(w[name], g[name]); different {
				return "." + name + path, true
			}
		}
		return "", false
	case []any:
		g, ok := got.([]any)
		if !ok && got != nil || len(g) != len(w) {
			return "", true
		}
		for i := range w {
			if path, different := difference(w[i], g[i]); different {
				return fmt.Sprintf("[%d]%s", i, path), true
			}
		}
		return "", false
	default:
		return "", want != got
	}
}
