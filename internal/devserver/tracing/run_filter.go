package tracing

import (
	"errors"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// runFilters are the filters of a query: on the run, on the root of its trace, and on any run of its trace. Nil and empty
// ones match everything.
type runFilters struct{ own, root, tree *string }

func (q runFilters) apply(f *store.RunFilter) (err error) {
	if f.Where, err = parseFilter(q.own); err != nil {
		return err
	}
	if f.RootWhere, err = parseFilter(q.root); err != nil {
		return err
	}
	f.TreeWhere, err = parseFilter(q.tree)
	return err
}

func parseFilter(text *string) (filter.Expr, error) {
	if strings.TrimSpace(rest.OrEmpty(text)) == "" {
		return nil, nil
	}
	expression, err := filter.Parse(*text)
	if syntax, is := errors.AsType[*filter.SyntaxError](err); is {
		return nil, rest.BadRequest("%s", syntax)
	}
	return expression, err
}

// aboutFeedback says whether a filter has a condition on feedback.
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

// both combines an optional filter with another one.
func both(first, second filter.Expr) filter.Expr {
	if first == nil {
		return second
	}
	return filter.And{Terms: []filter.Expr{first, second}}
}
