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

// asRequested prepares a deployment for the comparison with a request that may have created it: fields that the service doesn't return
// are copied from the request. A commit proves nothing, because the service resolves many refs to it. The branch does.
func asRequested(dialect *api.Dialect, req api.DeploymentCreateRequest, d api.Deployment) api.Deployment {
	FillIn(&d.SourceConfig.ListenerConfig, req.SourceConfig.ListenerConfig)
	FillIn(&d.SourceConfig.InstallCommand, req.SourceConfig.InstallCommand)
	FillIn(&d.SourceConfig.BuildCommand, req.SourceConfig.BuildCommand)
	FillIn(&d.Shareable, req.Shareable)
	FillIn(&d.RouteThroughGateway, req.RouteThroughGateway)
	if len(d.Secrets) == 0 {
		d.Secrets = req.Secrets
	}
	if len(d.SecretReferences) == 0 {
		d.SecretReferences, _ = req.SecretReferences.Get()
	}
	requested, sent := req.SourceRevisionConfig.RepoRef.Get()
	reported, branch := d.SourceRevisionConfig.RepoRef, d.SourceConfig.RepoBranch
	if dialect.ResolvesRepoRef && sent && branch != nil && (reported == nil || *reported != requested) {
		d.SourceRevisionConfig.RepoRef = branch
	}
	return d
}

// FillIn sets a field that the service didn't return to the value that was sent, and reports whether it did.
func FillIn[T any](shown **T, sent api.Optional[T]) bool {
	if *shown != nil || !sent.Present {
		return false
	}
	*shown = sent.Value
	return true
}

// Differs reports whether an object, in which services fill in defaults, lacks a part of what was sent.
func Differs(sent, object any) bool {
	_, different := comparison{merges: maxMerges}.difference(0, tree(sent), tree(object))
	return different
}

// Without returns an object as JSON without the members that were sent. Down to a depth, nested objects keep the members that weren't.
func Without(object, sent any, depth int) any {
	rest, isObject := tree(object).(map[string]any)
	members, _ := tree(sent).(map[string]any)
	if !isObject {
		return object
	}
	for name, member := range members {
		if _, nested := member.(map[string]any); nested && depth > 0 {
			rest[name] = Without(rest[name], member, depth-1)
		} else {
			delete(rest, name)
		}
	}
	return rest
}

// differs describes the first part of the body that an object lacks; empty if there is none. Secrets are ignored: no object has them.
func (r request) differs(object any) string {
	path, different := comparison{r.merges, r.secrets}.difference(0, tree(r.body), tree(object))
	if !different {
		return ""
	}
	return "it differs in " + strings.TrimPrefix(path, ".")
}

// shownBy returns the part of an object that is comparable with a request; the object if part is nil.
func shownBy[T any](part func(T) any, object T) any {
	if part == nil {
		return object
	}
	return part(object)
}

// tree returns a value as JSON, with all digits of its numbers.
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

// comparison compares the JSON tree that was sent with that of an object.
type comparison struct {
	// merges is the depth down to which objects may have members that were not sent. Deeper objects are replaced as a whole.
	merges int
	// secrets are values that services don't return.
	secrets []string
}

// maxMerges is for objects in which services fill in defaults at any depth.
const maxMerges = api.MaxDepth

// difference returns the path to the first part of want that got lacks. Null and empty values equal a missing one.
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
		return "", !ok || !decimal.IsSame(w.String(), g.String())
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

// isEmpty reports whether services may return a value for a missing one.
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

// sorted returns a list sorted by the identities of its elements; anything else unchanged.
func sorted(v any) any {
	list, ok := v.([]any)
	if !ok {
		return v
	}
	return slices.SortedStableFunc(slices.Values(list), func(a, b any) int { return cmp.Compare(identity(a), identity(b)) })
}

// identity returns the key of an element of a list; the element as text if it has none.
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
