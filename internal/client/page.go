package client

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
)

const (
	// pageSize is the maximum that the service returns at once.
	pageSize = 100
	// maxBack is how often pages that don't continue the list are read again, without finding anything new.
	maxBack = 2
	// maxPages is more than any reasonable list has.
	maxPages = 1000
)

// endlessDetail describes a list that a service makes up, or that grows faster than it is read.
var endlessDetail = fmt.Sprintf("the list doesn't end: after %d pages the service still returns more", maxPages)

// Pager reads a list page by page, each with its own context. It counts by itself, because the "offset" in responses is not
// documented for the last page.
//
// Lists change while they are read. Items are distinguished by ID, because one that is created shifts the others to the next page. One
// that is deleted shifts them to the page before, where they would be missed: each page therefore begins with the last item of the one
// before, and if none of its items is known, the page before is read again. A page longer than size comes from a service that ignores
// limit: it is the whole list. A full page of known items comes from one that ignores offset: the rest of the list can't be read, which
// is an error rather than a short list.
type Pager[T any] struct {
	client *Client
	path   string
	query  url.Values
	size   int
	id     func(T) string
	// match repeats a filter of query, because a service ignores parameters that it doesn't know; nil accepts every item. Next doesn't
	// use it.
	match func(T) bool
	// whole asks for the whole list at once, as documented, and for pages only if the response isn't a bare array.
	whole bool
	// tracing means that pages are bare arrays, and that a header has the total number of items. Older installations have neither pages
	// nor the header.
	tracing bool

	// aligned means that pages don't overlap, because the service divides offset by limit.
	aligned bool

	seen   map[string]struct{}
	offset int
	before int // The number of items of the page before.
	back   int // How often the reading has gone back without finding anything new.
	read   int // The number of pages.
	done   bool
}

// Done reports whether the last page has been read.
func (p *Pager[T]) Done() bool { return p.done }

// Next returns the items of the next page that no earlier page had. After an error, it asks for the same page again.
func (p *Pager[T]) Next(ctx context.Context) ([]T, error) {
	r := p.request()
	field, missing := "resources", errNoResources
	if p.tracing {
		field, missing = "", errNotArray
	}
	list, a, err := fetchList(ctx, p.client, r, field, hasKey(p.id), missing)
	switch {
	case err != nil:
		return nil, err
	case p.whole && !list.whole:
		p.whole = false
		return p.Next(ctx)
	case p.read == maxPages:
		return nil, a.failureWith(r, endlessDetail)
	}
	p.read++
	count, overlap := len(list.items), min(1, p.size-1)
	if p.aligned {
		overlap = 0
	}
	if p.offset > 0 && overlap > 0 && !slices.ContainsFunc(list.items, p.knows) {
		return nil, p.goBack(r, a, count, overlap)
	}
	next := p.unseen(list.items)
	if len(next) > 0 {
		p.back = 0
	}
	return next, p.advance(r, a, list.whole, count, overlap, len(next) > 0)
}

// advance moves to the page after one of so many items, of which the first may have been that of the page before. isNew says that at least one
// of them is new.
func (p *Pager[T]) advance(r request, a httpResponse, isWhole bool, count, overlap int, isNew bool) error {
	total, err := strconv.Atoi(a.header.Get("X-Pagination-Total"))
	counted, known := p.tracing && err == nil, p.offset > 0 && !isNew
	repeated := known && p.before > 0 && count >= p.before && (counted || !p.tracing)
	switch {
	case isWhole && !p.tracing:
		p.done = true
	case repeated && !p.aligned:
		p.aligned, p.offset = true, len(p.seen)
		return nil
	case repeated:
		return a.failureWith(r, "the page at offset "+strconv.Itoa(p.offset)+
			" repeats earlier ones: the service ignores offset and the rest of the list can't be read")
	case counted:
		p.done = known || p.offset+count >= total
	default:
		p.done = known && p.tracing || count != p.size
	}
	p.offset, p.before = p.offset+max(1, count-overlap), count
	return nil
}

// goBack reads the page before again, because nothing of a page of so many items is known: what was deleted has shifted the list.
func (p *Pager[T]) goBack(r request, a httpResponse, count, overlap int) error {
	if p.back++; p.back > maxBack && count > 0 {
		return a.failureWith(r, "the list changes its order while it is read: the rest can't be read")
	}
	p.done = p.back > maxBack // The service ends the list here, whatever the offset means.
	p.offset, p.before = max(0, p.offset-p.size+overlap), 0
	return nil
}

// request returns the request for the next page.
func (p *Pager[T]) request() request {
	r := request{method: http.MethodGet, path: p.path, query: maps.Clone(p.query), tracing: p.tracing}
	if p.whole {
		return r
	}
	if r.query == nil {
		r.query = url.Values{}
	}
	r.query.Set("limit", strconv.Itoa(p.size))
	r.query.Set("offset", strconv.Itoa(p.offset))
	return r
}

// knows says whether an earlier page had an item.
func (p *Pager[T]) knows(item T) bool {
	_, known := p.seen[p.id(item)]
	return known
}

// unseen returns the items that no earlier page had.
func (p *Pager[T]) unseen(list []T) []T {
	if p.seen == nil {
		p.seen = map[string]struct{}{}
	}
	var unseen []T
	for _, item := range list {
		if !p.knows(item) {
			p.seen[p.id(item)] = struct{}{}
			unseen = append(unseen, item)
		}
	}
	return unseen
}

var (
	errNoResources = errors.New(`the response has no list "resources"; check base_url`)
	errNotArray    = errors.New("the response is not a list; check tracing_url")
)

// all reads the list to its end. It can be read repeatedly.
func (p *Pager[T]) all(ctx context.Context) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		from := *p
		for !from.done {
			next, err := from.Next(ctx)
			if err != nil {
				yield(*new(T), err)
				return
			}
			for _, item := range next {
				if (p.match == nil || p.match(item)) && !yield(item, nil) {
					return
				}
			}
		}
	}
}

// wholeOrPages reads a list that services return as a bare array. Where that is documented, no other form is expected; elsewhere, the
// list may be paginated.
func wholeOrPages[T any](c *Client, path string, id func(T) string) *Pager[T] {
	return &Pager[T]{client: c, path: path, size: pageSize, id: id, whole: c.Dialect().ListsWhole}
}

// wholeList is fetchList for a list that is always returned as a whole. It can be read repeatedly.
func wholeList[T any](ctx context.Context, c *Client, r request, field string, check func(*T) error, missing error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		list, a, err := fetchList(ctx, c, r, field, check, missing)
		if err == nil && field != "" && list.whole { // An empty array would mean that all objects are gone.
			err = a.failureWith(r, missing.Error())
		}
		Items(list.items, err)(yield)
	}
}
