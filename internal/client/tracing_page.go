package client

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"strconv"
)

// tracingPages reads a whole list of the tracing API. Its pages are bare arrays, and a header has the total number of items.
// Without that header, the last page is one that isn't full or that repeats the page before: older installations don't paginate
// and return the whole list at once.
func tracingPages[T any](
	ctx context.Context, c *Client, path string, id func(T) string,
) iter.Seq2[page[T], error] {
	return func(yield func(page[T], error) bool) {
		seen := map[string]struct{}{}
		offset := 0
		for count := 0; ; count++ {
			r := request{method: http.MethodGet, path: path, query: url.Values{}, tracing: true}
			r.query.Set("limit", strconv.Itoa(pageSize))
			r.query.Set("offset", strconv.Itoa(offset))
			list, a, err := fetch(ctx, c, r, isArray(id))
			if err != nil {
				yield(page[T]{}, err)
				return
			}
			if count == maxPages {
				yield(page[T]{}, a.failureWith(r, endlessDetail))
				return
			}
			p := page[T]{response: a}
			for _, item := range *list {
				if _, known := seen[id(item)]; !known {
					seen[id(item)] = struct{}{}
					p.items = append(p.items, item)
				}
			}
			offset += len(*list)
			total, err := strconv.Atoi(a.header.Get("X-Pagination-Total"))
			counted := err == nil
			if counted && len(p.items) == 0 && len(seen) < total {
				yield(page[T]{}, a.failureWith(r, "the list has "+strconv.Itoa(total)+" items, but only "+strconv.Itoa(len(seen))+" can be read: the service ignores offset"))
				return
			}
			last := len(p.items) == 0 || counted && len(seen) >= total || !counted && len(*list) < pageSize
			if !yield(p, nil) || last {
				return
			}
		}
	}
}

// isArray prevents the response of another endpoint from being read as an empty list.
func isArray[T any](id func(T) string) func(*[]T) error {
	return func(list *[]T) error {
		if *list == nil {
			return errors.New("the response is not a list; check tracing_url")
		}
		return haveIDs(*list, id)
	}
}
