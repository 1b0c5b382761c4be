package figure

import (
	"reflect"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
)

// scopeOf returns the scope of rolled-up figures that a filter selects; false if there is none. If runs are grouped by a property, it has no
// value.
func scopeOf(f store.RunFilter, by store.RunGroup) (store.RollupScope, bool) {
	s := selected{roots: f.Root != nil && *f.Root, belowRoot: f.BelowRoot}
	unknown := f.Root != nil && !*f.Root || f.Failed != nil && !*f.Failed || len(f.ProjectIDs) == 0 || !s.addTerms(f.Where) ||
		len(f.ProjectIDs) > 1 && !s.roots // A run has one root, so that one counts in one project.
	if f.RunType != "" {
		s.add(store.TypeProperty, f.RunType)
	}
	if f.Status != "" {
		s.add(store.StatusProperty, f.Status)
	}
	if f.Failed != nil {
		s.add(store.StatusProperty, string(llmrun.StatusError))
	}
	if by != (store.RunGroup{}) {
		property := propertyOf(by)
		s.add(property, "")
		unknown = unknown || property == store.NoProperty
	}
	f.WorkspaceID, f.ProjectIDs, f.Root, f.BelowRoot, f.RunType, f.Status, f.Failed, f.Where = "", nil, nil, false, "", "", nil, nil
	f.From, f.To, f.Subtrees = nil, nil, false
	scope, known := s.scope()
	return scope, known && !unknown && reflect.ValueOf(f).IsZero()
}

// propertyOf returns the property by which runs are grouped; none if figures are not rolled up by it.
func propertyOf(by store.RunGroup) store.RunProperty {
	switch {
	case by.Labels != nil && *by.Labels == *byModel.Labels:
		return store.ModelProperty
	case by.Column == store.ByName:
		return store.NameProperty
	case by.Column == store.ByRunType:
		return store.TypeProperty
	case by.Column == store.ByStatus:
		return store.StatusProperty
	default:
		return store.NoProperty
	}
}

// selected are the conditions of a filter.
type selected struct {
	roots, belowRoot bool
	properties       []store.RollupScope
}

func (s *selected) add(property store.RunProperty, value string) {
	s.properties = append(s.properties, store.RollupScope{Property: property, Value: value})
}

// scope returns the scope of the runs that meet all conditions; false if there is none.
func (s *selected) scope() (scope store.RollupScope, known bool) {
	tool := slices.Index(s.properties, store.RollupScope{Property: store.TypeProperty, Value: string(llmrun.RunTypeTool)})
	set := store.AllRuns
	switch {
	case s.roots:
		set = store.RootRuns
	case s.belowRoot:
		set = store.RunsBelowRoot
	case len(s.properties) == 2 && tool >= 0:
		set, s.properties = store.ToolRuns, slices.Delete(s.properties, tool, tool+1)
	}
	if len(s.properties) > 1 || s.roots && s.belowRoot {
		return scope, false
	}
	for _, one := range s.properties {
		scope = one
	}
	scope.Of = set
	return scope, set == store.AllRuns || set == store.RootRuns || scope.Property == store.NameProperty
}

// properties are the fields of filters that are properties.
var properties = map[filter.Field]store.RunProperty{
	filter.RunType: store.TypeProperty, filter.Status: store.StatusProperty, filter.Name: store.NameProperty,
}

// addTerms adds the conditions of an expression; false if there are others.
func (s *selected) addTerms(where filter.Expr) bool {
	if where == nil {
		return true
	}
	terms := []filter.Expr{where}
	if all, is := where.(filter.And); is {
		terms = all.Terms
	}
	entry := map[filter.Field]string{}
	for _, term := range terms {
		if inner, is := term.(filter.And); is {
			if !s.addTerms(inner) {
				return false
			}
			continue
		}
		if !s.addTerm(term, entry) {
			return false
		}
	}
	if len(entry) == 0 {
		return true
	}
	value, valued := entry[filter.MetadataValue]
	s.add(store.ModelProperty, value)
	return valued && entry[filter.MetadataKey] == store.ModelKey
}

// addTerm adds a condition. Those about a metadata entry are only complete together.
func (s *selected) addTerm(term filter.Expr, entry map[filter.Field]string) bool {
	c, is := term.(filter.Compare)
	if !is || c.Op != filter.Equal {
		return false
	}
	if c.Field == filter.IsRoot && c.Value.Bool != nil && *c.Value.Bool {
		s.roots = true
		return true
	}
	if c.Value.Text == nil {
		return false
	}
	if property, known := properties[c.Field]; known {
		s.add(property, *c.Value.Text)
		return true
	}
	_, twice := entry[c.Field]
	entry[c.Field] = *c.Value.Text
	return !twice && (c.Field == filter.MetadataKey || c.Field == filter.MetadataValue)
}
