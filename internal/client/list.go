package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
)

// errNoList means that a response is JSON without the list that it should have.
var errNoList = errors.New("the response has no list")

// listing is one response with a list.
type listing[T any] struct {
	items []T
	// whole means that the response is a bare array.
	whole bool
	body  []byte
}

// fetchList is fetch for a list: a bare array, or a field of an object unless field is empty. check refuses an item. missing is the
// problem of a response without the list.
func fetchList[T any](ctx context.Context, c *Client, r request, field string, check func(*T) error, missing error) (listing[T], httpResponse, error) {
	var list listing[T]
	r.accept = func(body []byte) (err error) {
		if r.nullIsEmpty && string(bytes.TrimSpace(body)) == "null" {
			return nil
		}
		list, err = decodeList(body, field, check)
		if errors.Is(err, errNoList) {
			return missing
		}
		return err
	}
	a, err := c.do(ctx, r)
	return list, a, err
}

// fetchOne returns the object that isIt accepts, from a list that is a bare array. If there is none, the error is a 404, as operations that
// read a single object return it.
func fetchOne[T any](
	ctx context.Context, c *Client, r request, check func(*T) error, missing error, isIt func(T) bool, notFound string,
) (*T, error) {
	list, a, err := fetchList(ctx, c, r, "", check, missing)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(list.items, isIt); i >= 0 {
		return &list.items[i], nil
	}
	none := a.failureWith(r, notFound)
	none.Status, none.Attempts = http.StatusNotFound, 1
	return nil, none
}

// decodeList decodes item by item and ends at the first wrong one. Otherwise, a list that is made to exhaust the memory would take four
// hundred times its size: a deployment needs that much more than "{}".
func decodeList[T any](body []byte, field string, check func(*T) error) (listing[T], error) {
	list := listing[T]{body: body}
	if err := decode(body, new(anyJSON)); err != nil {
		return list, err
	}
	d := json.NewDecoder(bytes.NewReader(body))
	begin, err := d.Token()
	switch {
	case err != nil:
		return list, unexpected(err)
	case begin == json.Delim('['):
		list.whole = true
		list.items, err = decodeItems(d, check)
		return list, err
	case begin != json.Delim('{') || field == "":
		return list, errNoList
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return list, unexpected(err)
		}
		if name != field {
			if err := d.Decode(new(anyJSON)); err != nil {
				return list, unexpected(err)
			}
			continue
		}
		switch begin, err := d.Token(); {
		case err != nil:
			return list, unexpected(err)
		case begin == nil:
		case begin != json.Delim('['):
			return list, unexpected(fmt.Errorf("%q is not a list", field))
		default:
			if list.items, err = decodeItems(d, check); err != nil {
				return list, err
			}
		}
	}
	if list.items == nil {
		return list, errNoList
	}
	return list, nil
}

// decodeItems decodes the rest of an array.
func decodeItems[T any](d *json.Decoder, check func(*T) error) ([]T, error) {
	items := []T{}
	for d.More() {
		var item T
		err := d.Decode(&item)
		if err != nil {
			err = unexpected(err)
		} else if err = isUUIDs(&item); err == nil {
			err = check(&item)
		}
		if err != nil {
			return nil, fmt.Errorf("item %d of the list: %w", len(items)+1, err)
		}
		items = append(items, item)
	}
	_, err := d.Token()
	return items, err
}

// anyJSON accepts any JSON.
type anyJSON struct{}

func (*anyJSON) UnmarshalJSON([]byte) error { return nil }

// hasKey returns a check that refuses an item without an ID: all but one of such items would be lost.
func hasKey[T any](id func(T) string) func(*T) error {
	return func(item *T) error {
		if id(*item) == "" {
			return errors.New("it has no id")
		}
		return nil
	}
}
