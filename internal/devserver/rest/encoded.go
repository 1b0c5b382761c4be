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

// largePiece is the size in bytes from which a JSON text that is part of a body is sent as it is, instead of being copied into the body: new memory
// is expensive, and the runtime can't be interrupted while it fills it.
const largePiece = 64 << 10

// encodedBody is a body in JSON, in a dialect's terms, piece by piece. The last piece can still grow.
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
	if !hasLargePiece(value) {
		enc := json.NewEncoder(b)
		enc.SetEscapeHTML(false)
		return enc.Encode(value)
	}
	switch value := value.(type) {
	case json.RawMessage:
		*b = append(*b, value, nil)
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

func hasLargePiece(value any) bool {
	switch value := value.(type) {
	case json.RawMessage:
		return len(value) >= largePiece
	case []any:
		return slices.ContainsFunc(value, hasLargePiece)
	case map[string]any:
		for _, member := range value {
			if hasLargePiece(member) {
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
	if len(*b) == 0 {
		*b = encodedBody{nil}
	}
	last := len(*b) - 1
	(*b)[last] = append((*b)[last], text...)
}

func (b encodedBody) size() (n int) {
	for _, piece := range b {
		n += len(piece)
	}
	return n
}

func (b encodedBody) joined() []byte { return bytes.Join(b, nil) }
