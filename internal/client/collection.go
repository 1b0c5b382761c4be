package client

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"strings"
)

// collection has the operations that are the same for all kinds of objects.
type collection[T any] struct {
	client *Client
	kind   kind
	// path of the list. The path of an object ends with its ID.
	path    string
	tracing bool
	id      func(T) string
	// pathName returns the name that replaces the ID in the path of an object; nil if the ID does.
	pathName func(T) string
	// list reads all objects.
	list func(context.Context) iter.Seq2[T, error]
	// read reads an object; nil uses GET.
	read func(ctx context.Context, id string) (*T, error)
	// check returns a check that a response is the object with an ID; nil uses checkID.
	check func(id string) func(*T) error
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
func (o collection[T]) hasID(id string) func(T) bool {
	return func(object T) bool {
		if o.pathName != nil {
			return o.pathName(object) == id
		}
		return SameID(o.id(object), id)
	}
}

// isObject returns a check that a response is the object with an ID.
func (o collection[T]) isObject(id string) func(*T) error {
	if o.check != nil {
		return o.check(id)
	}
	return func(object *T) error { return checkID(o.kind.noun(), id, o.id(*object)) }
}

// request returns a request for the object with an ID.
func (o collection[T]) request(method, id string) request {
	return request{method: method, path: pathTo(o.path, id), tracing: o.tracing}
}

// get reads an object.
func (o collection[T]) get(ctx context.Context, id string) (*T, error) {
	if o.read != nil {
		return o.read(ctx, id)
	}
	return fetch(ctx, o.client, o.request(http.MethodGet, id), o.isObject(id))
}

// find is get for callers that act on a missing object, for example by creating it again. A single wrong response must not cause that:
// the object counts as not found only if the list agrees.
func (o collection[T]) find(ctx context.Context, id string) (*T, error) {
	object, notFound := o.get(ctx, id)
	if !IsNotFound(notFound) {
		return object, notFound
	}
	listed, err := Find(o.list(ctx), o.hasID(id))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%v; %w", notFound, stillUnknown(err)) //nolint:errorlint // It must not count as not found.
	case listed == nil:
		return nil, notFound
	}
	return listed, nil
}

// findListed returns an object from the list. If there is none, IsNotFound is true for the error.
func (o collection[T]) findListed(ctx context.Context, id string) (*T, error) {
	found, err := Find(o.list(ctx), o.hasID(id))
	if err == nil && found == nil {
		err = notListed(id)
	}
	return found, err
}
