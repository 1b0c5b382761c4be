package store

import (
	"context"
	"strconv"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
)

// bodyHasEntry asks whether some entry of a member of a body satisfies terms, and none rules them out. Every value in the member is an
// entry, at any depth; its key is the path of keys to it, such as messages[0].role.
type bodyHasEntry struct {
	member     string
	key, value filter.Field
	of         filter.Entries
}

func (q bodyHasEntry) holds(ctx context.Context, document []byte) (bool, error) {
	denied, accepted := false, len(q.of.One) == 0
	w := entryWalk{jsonWalk: jsonWalk{ctx: ctx, document: document}, most: q.longest()}
	err := w.each(func(key string, value filter.Value) (done bool) {
		entry := filter.Entry{q.key: {Text: &key}, q.value: value}
		denied = q.of.Denies(entry)
		accepted = accepted || q.of.Accepts(entry)
		return denied || accepted && len(q.of.Denied) == 0
	})
	return accepted && !denied, err
}

// longest returns how much of a key or value is compared: more than the longest text that it is compared with.
func (q bodyHasEntry) longest() int {
	longest := filter.NumberBytes + 1
	for _, term := range append(q.of.One, q.of.Denied...) {
		switch term := term.(type) {
		case filter.Compare:
			longest = max(longest, length(term.Value)+1)
		case filter.In:
			for _, value := range term.Values {
				longest = max(longest, length(value)+1)
			}
		}
	}
	return longest
}

func length(v filter.Value) int {
	if v.Text == nil {
		return 0
	}
	return len(*v.Text)
}

// entryWalk reads the values in a JSON document, each with the path to it.
type entryWalk struct {
	jsonWalk
	most  int // How much of a key or value is returned.
	path  []byte
	outer []container
}

// container is an object or array that has not ended yet.
type container struct {
	begin    int  // Its position in the document.
	path     int  // The length of the path to it.
	elements int  // How many elements of an array have begun.
	isArray  bool // Or an object.
}

// each calls visit with every value but the document itself, until visit returns true.
func (w *entryWalk) each(visit func(key string, value filter.Value) (done bool)) error {
	for {
		token, err := w.next()
		if err != nil || len(token) == 0 {
			return err
		}
		if err := w.ctx.Err(); err != nil {
			return err
		}
		if w.enter(token) {
			continue
		}
		value := token
		if deeper(token) < 0 {
			if len(w.outer) == 0 {
				return nil // Not valid JSON.
			}
			ended := w.outer[len(w.outer)-1]
			w.outer = w.outer[:len(w.outer)-1]
			w.path, value = w.path[:ended.path], w.document[ended.begin:w.at]
		}
		if len(w.outer) == 0 {
			return nil
		}
		if visit(string(w.path[:min(len(w.path), w.most)]), w.valueOf(value)) {
			return nil
		}
	}
}

// enter follows the path to a token, and reports whether no value ends with the token.
func (w *entryWalk) enter(token []byte) bool {
	if deeper(token) < 0 {
		return false
	}
	if depth := len(w.outer); depth > 0 {
		in := &w.outer[depth-1]
		switch {
		case in.isArray:
			w.path = append(strconv.AppendInt(append(w.path[:in.path], '['), int64(in.elements), 10), ']')
			in.elements++
		case token[0] == '"' && w.isName():
			if w.path = w.path[:in.path]; in.path > 0 {
				w.path = append(w.path, '.')
			}
			w.path, _ = appendDecoded(w.path, unquoted(token), len(token))
			return true
		}
	}
	if deeper(token) > 0 {
		w.outer = append(w.outer, container{begin: w.at - 1, path: len(w.path), isArray: token[0] == '['})
		return true
	}
	return false
}

// valueOf returns a value as entries have it: a string as it is, anything else as JSON.
func (w *entryWalk) valueOf(value []byte) filter.Value {
	switch {
	case string(value) == "null":
		return filter.Value{Null: true}
	case value[0] == '"':
		value = decoded(value, w.most)
	default:
		value = value[:min(len(value), w.most)]
	}
	text := string(value)
	return filter.Value{Text: &text}
}
