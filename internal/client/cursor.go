package client

import "context"

// cursored reads a list page by page, each of which names the cursor of the next, until it has limit items. ask returns the request for
// at most size items from a cursor; the first is empty. noun is the word for the items in errors.
func cursored[T any](
	ctx context.Context, c *Client, limit int, noun string, ask func(cursor string, size int) request, check func(*T) error, missing error,
) ([]T, error) {
	all, cursor := []T{}, ""
	begun := map[string]bool{} // The pages by cursor.
	for {
		r := ask(cursor, limit-len(all))
		list, a, err := fetchList(ctx, c, r, "items", check, missing)
		if err != nil {
			return nil, err
		}
		var page struct {
			NextCursor string `json:"next_cursor"`
		}
		if err := decode(list.body, &page); err != nil && !list.whole {
			return nil, a.failureWith(r, err.Error())
		}
		all = append(all, list.items...)
		cursor = page.NextCursor
		switch {
		case len(all) >= limit:
			return all[:limit], nil
		case cursor == "":
			return all, nil
		case begun[cursor]:
			return nil, a.failureWith(r, "the next page starts where an earlier one did, so the remaining "+noun+" can't be read")
		case len(begun) == maxPages:
			return nil, a.failureWith(r, endlessDetail)
		}
		begun[cursor] = true
	}
}
