package run

import (
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

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
