package client

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
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

// unechoed are the fields of source_config that installations accept and don't return.
var unechoed = []string{"listener_config", "install_command", "build_command"}

// mismatch describes where what was sent first differs from what is reported. Only sent values count, because services add defaults.
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
	return comparison{merges: maxMerges}.difference(0, want, got)
}

// differs describes the first part of the body that an object doesn't show; empty if it shows all of it. No object shows a secret.
func (r request) differs(object any) string {
	path, different := comparison{r.merges, r.secrets}.difference(0, tree(r.body), tree(object))
	if !different {
		return ""
	}
	return "it differs in " + strings.TrimPrefix(path, ".")
}

// shownBy returns what an object shows of a write: part of it if that isn't nil, otherwise all.
func shownBy[T any](part func(T) any, object T) any {
	if part == nil {
		return object
	}
	return part(object)
}

// tree is a value as JSON, with all digits of its numbers.
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

// comparison compares JSON trees: what was sent, and what an object has.
type comparison struct {
	// merges is down to which depth objects keep, or have defaults for, members that are not sent. Deeper ones are replaced as a whole.
	merges int
	// secrets are values that services don't return.
	secrets []string
}

// maxMerges is for objects in which services fill in defaults at any depth.
const maxMerges = api.MaxDepth

// difference returns the path to the first part of want that got doesn't have. Null and what is empty equal a missing value.
func (c comparison) difference(depth int, want, got any) (path string, different bool) {
	if isEmpty(want) && isEmpty(got) {
		return "", false
	}
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok && got != nil {
			return "", true
		}
		return c.differenceIn(depth, w, g)
	case []any:
		g, _ := got.([]any)
		if len(g) != len(w) {
			return "", true
		}
		for i := range w {
			if path, different := c.difference(depth+1, w[i], g[i]); different {
				return fmt.Sprintf("[%d]%s", i, path), true
			}
		}
		return "", false
	case string:
		g, ok := got.(string)
		return "", !slices.Contains(c.secrets, w) && (!ok || !sameText(w, g))
	case json.Number:
		g, ok := got.(json.Number)
		return "", !ok || !sameNumber(w, g)
	}
	return "", want != got
}

// differenceIn is difference for objects.
func (c comparison) differenceIn(depth int, want, got map[string]any) (path string, different bool) {
	names := maps.Clone(want)
	if depth >= c.merges {
		maps.Copy(names, got)
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		one, other := want[name], got[name]
		if _, sent := want[name]; sent && one == nil && other == "" { // Some services return that for null.
			continue
		}
		if !slices.Contains(inOrder, name) {
			one, other = sorted(one), sorted(other)
		}
		if path, different := c.difference(depth+1, one, other); different {
			return "." + name + path, true
		}
	}
	return "", false
}

// isEmpty reports whether a value is what services may return for a missing one.
func isEmpty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case []any:
		return len(v) == 0
	case map[string]any:
		for _, member := range v {
			if !isEmpty(member) {
				return false
			}
		}
		return true
	}
	return false
}

// inOrder are the lists whose order matters. Services may return all others in another order.
var inOrder = []string{"init_containers", "command", "args", "envFrom", "match_path"}

// sorted returns a list sorted by what identifies its elements; anything else as it is.
func sorted(v any) any {
	list, ok := v.([]any)
	if !ok {
		return v
	}
	return slices.SortedStableFunc(slices.Values(list), func(a, b any) int { return cmp.Compare(identity(a), identity(b)) })
}

// identity returns what identifies an element of a list.
func identity(element any) string {
	object, _ := element.(map[string]any)
	for _, key := range []string{"mountPath", "name"} {
		if text, ok := object[key].(string); ok {
			return text
		}
	}
	return fmt.Sprint(element)
}

// sameText also compares UUIDs and times, which services write in their own format.
func sameText(a, b string) bool {
	return a == b || uuid.Validate(a) == nil && SameID(a, b) || timestamp.IsSame(a, b)
}

func sameNumber(a, b json.Number) bool {
	one, err := decimal.Parse(string(a))
	other, otherErr := decimal.Parse(string(b))
	return err == nil && otherErr == nil && one.Equal(other)
}
