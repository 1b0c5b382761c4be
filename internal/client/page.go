package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"strconv"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

const (
	// pageSize is the maximum that the service returns at once.
	pageSize = 100
	// maxPages is more than any reasonable list has.
	maxPages = 1000
)

// endlessDetail describes a list that a service makes up, or that grows faster than it is read.
var endlessDetail = fmt.Sprintf("the list doesn't end: after %d pages the service still returns more", maxPages)

// Collect returns all items of a list, or the first error.
func Collect[T any](seq iter.Seq2[T, error]) ([]T, error) {
	var all []T
	for item, err := range seq {
		if err != nil {
			return nil, err
		}
		all = append(all, item)
	}
	return all, nil
}

// page is one response of a list, with the items that no earlier page had.
type page[T any] struct {
	items    []T
	response response
}

// listed is the body of one page. A bare array is the whole list, because endpoints that return one don't paginate.
type listed[T any] struct {
	api.List[T]
	whole bool
}

func (l *listed[T]) UnmarshalJSON(data []byte) error {
	l.whole = bytes.HasPrefix(bytes.TrimSpace(data), []byte("["))
	return l.List.UnmarshalJSON(data)
}

// Pager reads a list page by page, each with its own context. It counts by itself, because the "offset" in responses is not
// documented for the last page, and stops at a page that is not full.
//
// Items are distinguished by ID, because an item that is created meanwhile shifts the others to the next page. A full page
// without any new item means that the service ignores offset, and that the rest of the list can't be read: that is an
// error rather than a short list. A page longer than size comes from a service that ignores limit: it is the whole list.
type Pager[T any] struct {
	client *Client
	path   string
	query  url.Values
	size   int
	id     func(T) string

	seen   map[string]struct{}
	offset int
	done   bool
}

// Done reports whether the last page has been read.
func (p *Pager[T]) Done() bool { return p.done }

// Next returns the items of the next page. After an error, it asks for the same page again.
func (p *Pager[T]) Next(ctx context.Context) ([]T, error) {
	next, err := p.next(ctx)
	return next.items, err
}

func (p *Pager[T]) next(ctx context.Context) (page[T], error) {
	r := request{method: http.MethodGet, path: p.path, query: maps.Clone(p.query)}
	if r.query == nil {
		r.query = url.Values{}
	}
	r.query.Set("limit", strconv.Itoa(p.size))
	r.query.Set("offset", strconv.Itoa(p.offset))
	list, a, err := fetch(ctx, p.client, r, hasResources(p.id))
	if err != nil {
		return page[T]{}, err
	}
	if p.offset == maxPages*p.size {
		return page[T]{}, a.failureWith(r, endlessDetail)
	}
	if p.seen == nil {
		p.seen = map[string]struct{}{}
	}
	next := page[T]{response: a}
	for _, item := range list.Resources {
		if _, known := p.seen[p.id(item)]; !known {
			p.seen[p.id(item)] = struct{}{}
			next.items = append(next.items, item)
		}
	}
	if len(next.items) == 0 && len(list.Resources) >= p.size {
		return page[T]{}, a.failureWith(r, "the page at offset "+strconv.Itoa(p.offset)+
			" repeats earlier ones: the service ignores offset and the rest of the list can't be read")
	}
	p.offset += p.size
	p.done = list.whole || len(list.Resources) != p.size
	return next, nil
}

// pages reads a list to its end, size items at a time.
func pages[T any](
	ctx context.Context, c *Client, path string, query url.Values, size int, id func(T) string,
) iter.Seq2[page[T], error] {
	return func(yield func(page[T], error) bool) {
		p := Pager[T]{client: c, path: path, query: query, size: size, id: id}
		for !p.done {
			next, err := p.next(ctx)
			if !yield(next, err) || err != nil {
				return
			}
		}
	}
}

// wholeOrPages reads a list that services return as a bare array. Where that is documented, no other form is expected; elsewhere,
// the list may be paginated.
func wholeOrPages[T any](ctx context.Context, c *Client, path string, id func(T) string) iter.Seq2[page[T], error] {
	inPages := pages(ctx, c, path, nil, pageSize, id)
	if !c.Dialect().ListsWhole {
		return inPages
	}
	return func(yield func(page[T], error) bool) {
		list, a, err := fetch(ctx, c, request{method: http.MethodGet, path: path}, hasResources(id))
		switch {
		case err != nil:
			yield(page[T]{}, err)
		case list.whole:
			yield(page[T]{items: list.Resources, response: a}, nil)
		default:
			inPages(yield)
		}
	}
}

// items returns the items of pages that keep accepts.
func items[T any](list iter.Seq2[page[T], error], keep func(T) bool) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for p, err := range list {
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, item := range p.items {
				if keep(item) && !yield(item, nil) {
					return
				}
			}
		}
	}
}

func all[T any](T) bool { return true }

// hasResources prevents the response of another endpoint from being read as an empty list.
func hasResources[T any](id func(T) string) func(*listed[T]) error {
	return func(l *listed[T]) error {
		if l.Resources == nil {
			return errors.New(`the response has no list "resources"; check base_url`)
		}
		return haveIDs(l.Resources, id)
	}
}

// haveIDs refuses a list of items without IDs: all but one of them would be lost.
func haveIDs[T any](list []T, id func(T) string) error {
	for i, item := range list {
		if id(item) == "" {
			return fmt.Errorf("item %d of the list has no id", i+1)
		}
	}
	return nil
}
