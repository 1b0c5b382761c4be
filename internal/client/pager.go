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
	// maxBack is how often pages that don't continue the list are read again without finding anything new.
	maxBack = 2
	// maxPages is more than any reasonable list has.
	maxPages = 1000
)

// endlessDetail describes a list that grows faster than it is read.
var endlessDetail = fmt.Sprintf("the list doesn't end: after %d pages the service still returns more", maxPages)

// Pager reads a list page by page, each with its own context. It computes the offsets itself, because the "offset" in responses is not
// documented for the last page.
//
// Lists change while they are read. A new item shifts others to the next page, so items are deduplicated by ID. A deleted item shifts
// others to the previous page, where they would be missed: each page therefore begins with the last item of the previous one, and a page
// without any known item means that the previous page must be read again.
//
// A page longer than size comes from a service that ignores limit: it is the whole list. A full page of known items comes from one that
// ignores offset: the rest can't be read, which is an error rather than a short list.
type Pager[T any] struct {
	client *Client
	path   string
	query  url.Values
	size   int
	id     func(T) string
	// match repeats a filter of query, because services ignore unknown parameters; nil accepts every item. Next doesn't use it.
	match func(T) bool
	// whole requests the whole list at once, as documented, and pages only if the response isn't a bare array.
	whole bool
	// tracing means that pages are bare arrays, and that a header has the total number of items. Older installations have neither pages
	// nor the header.
	tracing bool

	// aligned means that pages don't overlap, because the service divides offset by limit.
	aligned bool

	seen     map[string]struct{}
	offset   int
	previous int // The number of items of the previous page.
	back     int // How often a page was read again without finding anything new.
	read     int // The number of pages.
	done     bool
}

// Done reports whether the last page has been read.
func (p *Pager[T]) Done() bool { return p.done }

// Next returns the items of the next page that no earlier page had. After an error, it requests the same page again.
func (p *Pager[T]) Next(ctx context.Context) ([]T, error) {
	format := listFormat[T]{field: "resources", check: hasKey(p.id), missing: errNoResources}
	if p.tracing {
		format.field, format.missing = "", errNotArray
	}
	page, err := fetchList(ctx, p.client, p.request(), format)
	switch {
	case err != nil:
		return nil, err
	case p.whole && !page.whole:
		p.whole = false
		return p.Next(ctx)
	case p.read == maxPages:
		return nil, page.failureWith(endlessDetail)
	}
	p.read++
	if p.offset > 0 && p.overlap() > 0 && !slices.ContainsFunc(page.items, p.isKnown) {
		return nil, p.goBack(page)
	}
	next := p.unseen(page.items)
	if len(next) > 0 {
		p.back = 0
	}
	return next, p.advance(page, len(next) > 0)
}

var (
	errNoResources = errors.New(`the response has no list "resources"; check base_url`)
	errNotArray    = errors.New("the response is not a list; check tracing_url")
)

// request returns the request for the next page.
func (p *Pager[T]) request() request {
	query := maps.Clone(p.query)
	if !p.whole {
		if query == nil {
			query = url.Values{}
		}
		query.Set("limit", strconv.Itoa(p.size))
		query.Set("offset", strconv.Itoa(p.offset))
	}
	return request{method: http.MethodGet, path: p.path, query: query, tracing: p.tracing}
}

// overlap returns how many items of the previous page the next one begins with.
func (p *Pager[T]) overlap() int {
	if p.aligned {
		return 0
	}
	return min(1, p.size-1)
}

// advance moves to the page after this one. isNew means that at least one of its items is new.
func (p *Pager[T]) advance(page listing[T], isNew bool) error {
	count := len(page.items)
	total, err := strconv.Atoi(page.header.Get("X-Pagination-Total"))
	counted, known := p.tracing && err == nil, p.offset > 0 && !isNew
	repeated := known && p.previous > 0 && count >= p.previous && (counted || !p.tracing)
	switch {
	case page.whole && !p.tracing:
		p.done = true
	case repeated && !p.aligned:
		p.aligned, p.offset = true, len(p.seen)
		return nil
	case repeated:
		return page.failureWith("the page at offset " + strconv.Itoa(p.offset) +
			" repeats earlier ones: the service ignores offset and the rest of the list can't be read")
	case counted:
		p.done = known || p.offset+count >= total
	default:
		p.done = known && p.tracing || count != p.size
	}
	p.offset, p.previous = p.offset+max(1, count-p.overlap()), count
	return nil
}

// goBack moves to the previous page after one without known items: deletions have shifted the list.
func (p *Pager[T]) goBack(page listing[T]) error {
	if p.back++; p.back > maxBack && len(page.items) > 0 {
		return page.failureWith("the list changes its order while it is read: the rest can't be read")
	}
	p.done = p.back > maxBack // The service ends the list here, whatever the offset means.
	p.offset, p.previous = max(0, p.offset-p.size+p.overlap()), 0
	return nil
}

// isKnown reports whether an earlier page had an item.
func (p *Pager[T]) isKnown(item T) bool {
	_, known := p.seen[p.id(item)]
	return known
}

// unseen returns the items that no earlier page had.
func (p *Pager[T]) unseen(items []T) []T {
	if p.seen == nil {
		p.seen = map[string]struct{}{}
	}
	var unseen []T
	for _, item := range items {
		if !p.isKnown(item) {
			p.seen[p.id(item)] = struct{}{}
			unseen = append(unseen, item)
		}
	}
	return unseen
}

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
