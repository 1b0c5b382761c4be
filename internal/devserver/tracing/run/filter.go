package run

import (
	"errors"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// Filters are the filters of a query: on the run, on the root of its trace, and on any run of its trace. Nil and empty
// ones match everything.
type Filters struct{ Own, Root, Tree *string }

// Apply adds the filters to a query of the store.
func (q Filters) Apply(f *store.RunFilter) (err error) {
	if f.Where, err = ParseFilter(q.Own); err != nil {
		return err
	}
	if f.RootWhere, err = ParseFilter(q.Root); err != nil {
		return err
	}
	f.TreeWhere, err = ParseFilter(q.Tree)
	return err
}

// ParseFilter reads a filter; nil for none.
func ParseFilter(text *string) (filter.Expr, error) {
	if strings.TrimSpace(api.OrEmpty(text)) == "" {
		return nil, nil
	}
	expression, err := filter.Parse(*text)
	if syntax, is := errors.AsType[*filter.SyntaxError](err); is {
		return nil, form.Broken("%s", syntax)
	}
	return expression, err
}

// aboutFeedback reports whether a filter has a condition on feedback.
func aboutFeedback(expression filter.Expr) bool {
	switch e := expression.(type) {
	case filter.And:
		return slices.ContainsFunc(e.Terms, aboutFeedback)
	case filter.Or:
		return slices.ContainsFunc(e.Terms, aboutFeedback)
	case filter.Not:
		return aboutFeedback(e.Term)
	default:
		return filter.EntriesOf(e) == filter.FeedbackKey
	}
}

// Both combines an optional filter with another one.
func Both(first, second filter.Expr) filter.Expr {
	if first == nil {
		return second
	}
	return filter.And{Terms: []filter.Expr{first, second}}
}

// Narrow adds a search to a filter: an expression of the filter language, or words that a run must all contain.
func Narrow(f *store.RunFilter, text string) error {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil
	}
	expression, err := ParseFilter(&text)
	if operator, _, is := strings.Cut(text, "("); !is || !filter.IsOperator(operator) {
		words := strings.Fields(text)
		if len(words) > limits.FilterSearches {
			return form.Broken("A search can have at most %d words.", limits.FilterSearches)
		}
		expression, err = filter.And{Terms: form.Collect(words, func(word string) filter.Expr { return filter.Search{Text: word} })}, nil
	}
	if err != nil {
		return err
	}
	f.Where = Both(f.Where, expression)
	return nil
}

// NarrowTraces adds an expression of the filter language that must hold for any run of a trace.
func NarrowTraces(f *store.RunFilter, text string) error {
	expression, err := ParseFilter(&text)
	if err == nil && expression != nil {
		f.TreeWhere = Both(f.TreeWhere, expression)
	}
	return err
}

// NewestNamed returns the newest matching runs with a name.
func NewestNamed(tx *store.Tx, f store.RunFilter, name string, limit int) ([]store.Run, error) {
	f.Where = Both(f.Where, filter.Compare{Op: filter.Equal, Field: filter.Name, Value: filter.Value{Text: &name}})
	return tx.Runs(f, false, nil, limit)
}
