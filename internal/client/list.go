package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"
)

// Collect returns all items of a list, or the first error.
func Collect[T any](list iter.Seq2[T, error]) ([]T, error) {
	var all []T
	for item, err := range list {
		if err != nil {
			return nil, err
		}
		all = append(all, item)
	}
	return all, nil
}

// Items returns the items of a list that was read as a whole, or its error.
func Items[T any](all []T, err error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		if err != nil {
			yield(*new(T), err)
			return
		}
		for _, item := range all {
			if !yield(item, nil) {
				return
			}
		}
	}
}

// Filter returns the items that keep accepts, and all errors.
func Filter[T any](list iter.Seq2[T, error], keep func(T) bool) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for item, err := range list {
			if (err != nil || keep(item)) && !yield(item, err) {
				return
			}
		}
	}
}

// Find returns the first item that matches; nil without an error if there is none.
func Find[T any](list iter.Seq2[T, error], matches func(T) bool) (*T, error) {
	for item, err := range list {
		if err != nil {
			return nil, err
		}
		if matches(item) {
			return &item, nil
		}
	}
	return nil, nil
}

// listFormat is the form in which responses contain a list.
type listFormat[T any] struct {
	// field of the response that contains the list; empty if the response is a bare array.
	field string
	// check refuses an invalid item.
	check func(*T) error
	// missing is the error for a response without the list.
	missing error
	// nullIsEmpty means that null is an empty list, as some encoders write it.
	nullIsEmpty bool
}

// listing is one response with a list.
type listing[T any] struct {
	response
	items []T
	// whole means that the response is a bare array.
	whole bool
}

// fetchList is fetch for a list.
func fetchList[T any](ctx context.Context, c *Client, r request, format listFormat[T]) (list listing[T], err error) {
	r.accept = func(body []byte) (err error) {
		if format.nullIsEmpty && string(bytes.TrimSpace(body)) == "null" {
			return nil
		}
		list, err = decodeList(body, format.field, format.check)
		if errors.Is(err, errNoList) {
			return format.missing
		}
		return err
	}
	list.response, err = c.do(ctx, r)
	return list, err
}

// listAtOnce returns the list of a Collection that the service always returns at once.
func listAtOnce[T any](c *Client, r request, format listFormat[T]) func(context.Context) iter.Seq2[T, error] {
	return func(ctx context.Context) iter.Seq2[T, error] {
		return func(yield func(T, error) bool) {
			list, err := fetchList(ctx, c, r, format)
			if err == nil && format.field != "" && list.whole { // An empty array would mean that all objects are gone.
				err = list.failureWith(format.missing.Error())
			}
			Items(list.items, err)(yield)
		}
	}
}

// fetchOne returns the matching object of a list. If there is none, the error is a 404, as operations that read a single object
// return it.
func fetchOne[T any](
	ctx context.Context, c *Client, r request, format listFormat[T], matches func(T) bool, notFound string,
) (*T, error) {
	list, err := fetchList(ctx, c, r, format)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(list.items, matches); i >= 0 {
		return &list.items[i], nil
	}
	none := list.failureWith(notFound)
	none.Status, none.Attempts = http.StatusNotFound, 1
	return nil, none
}

// fetchCursored reads a list page by page, each of which has the cursor of the next, until it has limit items. request returns the
// request for at most size items from a cursor, which is empty for the first page. noun is the word for items in errors.
func fetchCursored[T any](
	ctx context.Context, c *Client, limit int, noun string, request func(cursor string, size int) request, format listFormat[T],
) ([]T, error) {
	format.field = "items"
	all, cursor := []T{}, ""
	started := map[string]bool{} // The cursors of the pages that were read.
	for {
		list, err := fetchList(ctx, c, request(cursor, limit-len(all)), format)
		if err != nil {
			return nil, err
		}
		var page struct {
			NextCursor string `json:"next_cursor"`
		}
		if err := decode(list.body, &page); err != nil && !list.whole {
			return nil, list.failureWith(err.Error())
		}
		all = append(all, list.items...)
		cursor = page.NextCursor
		switch {
		case len(all) >= limit:
			return all[:limit], nil
		case cursor == "":
			return all, nil
		case started[cursor]:
			return nil, list.failureWith("the next page starts where an earlier one did, so the remaining " + noun + " can't be read")
		case len(started) == maxPages:
			return nil, list.failureWith(endlessDetail)
		}
		started[cursor] = true
	}
}

// errNoList means that a response is JSON without the expected list.
var errNoList = errors.New("the response has no list")

// decodeList decodes item by item and stops at the first invalid one: a decoded deployment takes four hundred times the memory of "{}",
// so that a hostile list could otherwise exhaust it.
func decodeList[T any](body []byte, field string, check func(*T) error) (list listing[T], err error) {
	var array json.RawMessage
	if err := decode(body, &array); err != nil {
		return list, err
	}
	if list.whole = array[0] == '['; !list.whole {
		var object struct{ Resources, Data, Logs, Items json.RawMessage }
		_ = json.Unmarshal(array, &object) // Anything but an object has none of them.
		array = map[string]json.RawMessage{
			"resources": object.Resources, "data": object.Data, "logs": object.Logs, "items": object.Items,
		}[field]
	}
	switch {
	case array == nil || string(array) == "null":
		return list, errNoList
	case array[0] != '[':
		return list, unexpected(fmt.Errorf("%q is not a list", field))
	}
	list.items = []T{}
	d := json.NewDecoder(bytes.NewReader(array))
	for _, err = d.Token(); err == nil && d.More(); {
		var item T
		if err = d.Decode(&item); err != nil {
			err = unexpected(err)
		} else if err = normalizeIDs(&item); err == nil {
			err = check(&item)
		}
		if err != nil {
			return listing[T]{whole: list.whole}, fmt.Errorf("item %d of the list: %w", len(list.items)+1, err)
		}
		list.items = append(list.items, item)
	}
	return list, err
}

// hasKey returns a check that refuses an item without an ID: all but one of such items would be lost.
func hasKey[T any](id func(T) string) func(*T) error {
	return func(item *T) error {
		if id(*item) == "" {
			return errors.New("it has no id")
		}
		return nil
	}
}

// Collection has the operations that are the same for all kinds of objects.
type Collection[T any] struct {
	client *Client
	kind   kind
	// path of the list. The path of an object ends with its ID.
	path    string
	tracing bool
	id      func(T) string
	// pathName returns the name that replaces the ID in the path of an object; nil if the ID does.
	pathName func(T) string
	// list reads all objects; nil reads them page by page. listID reads those with an ID; nil reads all.
	list   func(context.Context) iter.Seq2[T, error]
	listID func(ctx context.Context, id string) iter.Seq2[T, error]
	// whole means that dialects with the behavior ListsWhole return the list at once, as a bare array.
	whole bool
	// listedOnly means that the service has no operation to read one object: it is read from the list.
	listedOnly bool
	// check returns a check that a response is the object with an ID; nil uses checkID.
	check func(id string) func(*T) error
}

// Deletable is a Collection whose objects are gone once the service has accepted their deletion.
type Deletable[T any] struct {
	Collection[T]
	// proof is the method of a request that returns 404 for an object that doesn't exist. After an accepted deletion, that is enough, and the
	// list isn't read, however long it is. If proof is empty, only the list counts.
	proof string
}

// kind is a kind of object, for messages.
type kind struct {
	// indefinite is the name with an indefinite article.
	indefinite string
	// key is the field that is unique.
	key string
}

// noun returns the name without an article.
func (k kind) noun() string {
	_, noun, _ := strings.Cut(k.indefinite, " ")
	return noun
}

// hasID returns a condition for the object with an ID.
func (o Collection[T]) hasID(id string) func(T) bool {
	return func(object T) bool {
		if o.pathName != nil {
			return o.pathName(object) == id
		}
		return SameID(o.id(object), id)
	}
}

// isObject returns a check that a response is the object with an ID.
func (o Collection[T]) isObject(id string) func(*T) error {
	if o.check != nil {
		return o.check(id)
	}
	return func(object *T) error { return checkID(o.kind.noun(), id, o.id(*object)) }
}

// request returns a request for the object with an ID.
func (o Collection[T]) request(method, id string) request {
	return request{method: method, path: pathTo(o.path, id), tracing: o.tracing}
}

// List reads all objects. It can be read repeatedly.
func (o Collection[T]) List(ctx context.Context) iter.Seq2[T, error] {
	if o.list != nil {
		return o.list(ctx)
	}
	return o.Pages().all(ctx)
}

// Pages reads all objects page by page.
func (o Collection[T]) Pages() *Pager[T] {
	return &Pager[T]{
		client: o.client, path: o.path, size: pageSize, id: o.id, tracing: o.tracing, whole: o.whole && o.client.Dialect().ListsWhole,
	}
}

// Get reads an object. If there is none, IsNotFound is true for the error.
func (o Collection[T]) Get(ctx context.Context, id string) (*T, error) {
	if !o.listedOnly {
		return fetch(ctx, o.client, o.request(http.MethodGet, id), o.isObject(id))
	}
	found, err := Find(o.List(ctx), o.hasID(id))
	if err == nil && found == nil {
		err = notListed(id)
	}
	return found, err
}

// Find is Get for callers that act on a missing object, for example by creating it again. A single wrong response must not cause that:
// the object counts as not found only if the list agrees.
func (o Collection[T]) Find(ctx context.Context, id string) (*T, error) {
	object, notFound := o.Get(ctx, id)
	if !IsNotFound(notFound) {
		return object, notFound
	}
	candidates := o.List(ctx)
	if o.listID != nil {
		candidates = o.listID(ctx, id)
	}
	listed, err := Find(candidates, o.hasID(id))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%v; %w", notFound, stillUnknown(err)) //nolint:errorlint // It must not count as not found.
	case listed == nil:
		return nil, notFound
	}
	return listed, nil
}
