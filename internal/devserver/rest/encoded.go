package rest

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
)

// pieceSize is the size in bytes of the pieces of a large body, and largeMember that of a JSON text in a body from which the encoder of the standard
// library is spared it: that would copy it into a buffer that grows, and the runtime can't be interrupted while it fills large new memory.
const pieceSize, largeMember = 256 << 10, 64 << 10

// encodedBody is a body as it is sent, piece by piece. The last piece can still grow.
type encodedBody [][]byte

// encode writes JSON with the fields of a dialect. It escapes only what JSON requires, not what HTML does.
func encode(body any, dialect *api.Dialect) (encodedBody, error) {
	var out encodedBody
	err := out.add(form.Complete(reflect.ValueOf(body), dialect))
	out.mark("\n")
	return out, err
}

// add encodes what form.Complete has returned.
func (b *encodedBody) add(value any) error {
	if !hasLargeMember(value) {
		enc := json.NewEncoder(b)
		enc.SetEscapeHTML(false)
		return enc.Encode(value)
	}
	switch value := value.(type) {
	case json.RawMessage:
		b.write(value) // It is a part of a stored body, which would stay in memory with it.
	case []any:
		b.mark("[")
		for i, element := range value {
			if i > 0 {
				b.mark(",")
			}
			if err := b.add(element); err != nil {
				return err
			}
		}
		b.mark("]")
	case map[string]any:
		b.mark("{")
		for i, name := range slices.Sorted(maps.Keys(value)) {
			if i > 0 {
				b.mark(",")
			}
			if err := b.add(name); err != nil {
				return err
			}
			b.mark(":")
			if err := b.add(value[name]); err != nil {
				return err
			}
		}
		b.mark("}")
	}
	return nil
}

func hasLargeMember(value any) bool {
	switch value := value.(type) {
	case json.RawMessage:
		return len(value) >= largeMember
	case []any:
		return slices.ContainsFunc(value, hasLargeMember)
	case map[string]any:
		for _, member := range value {
			if hasLargeMember(member) {
				return true
			}
		}
	}
	return false
}

// Write implements io.Writer for a JSON encoder, which writes once, with a line feed.
func (b *encodedBody) Write(text []byte) (int, error) {
	b.write(bytes.TrimSuffix(text, []byte("\n")))
	return len(text), nil
}

func (b *encodedBody) mark(text string) { b.write([]byte(text)) }

func (b *encodedBody) write(text []byte) {
	for len(text) > 0 {
		last := len(*b) - 1
		if last < 0 || len((*b)[last]) >= pieceSize {
			*b, last = append(*b, nil), last+1
		}
		n := min(len(text), pieceSize-len((*b)[last]))
		(*b)[last] = append((*b)[last], text[:n]...)
		text = text[n:]
	}
}

func (b encodedBody) size() (n int) {
	for _, piece := range b {
		n += len(piece)
	}
	return n
}

func (b encodedBody) joined() []byte { return bytes.Join(b, nil) }
