package message

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// keyRaw is the extra for the whole value of an unrecognized document.
const keyRaw = "raw"

// Normalize recognizes the format of one half of a run and reads it. It returns an error for data that isn't JSON; a value
// in an unknown format results in a Document with FormatUnrecognized that keeps it whole.
//
// The document shares memory with data, which therefore must not change.
func Normalize(data []byte, side Side) (*Document, error) {
	if err := checkJSON(data, side); err != nil {
		return nil, err
	}
	if d, ok := parse(data, side, detect(data, side)); ok {
		return d, nil
	}
	if d, ok := parseWrapped(data, side); ok {
		return d, nil
	}
	return unrecognized(data, side), nil
}

// NormalizeEither is Normalize for data that may be either half of a run: the side follows from the document's structure;
// it defaults to Inputs.
func NormalizeEither(data []byte) (*Document, error) {
	if err := checkJSON(data, Inputs); err != nil {
		return nil, err
	}
	guess, other := guessSide(data), Outputs
	if guess == Outputs {
		other = Inputs
	}
	for _, side := range []Side{guess, other} {
		if d, ok := parse(data, side, detect(data, side)); ok {
			return d, nil
		}
	}
	for _, side := range []Side{guess, other} {
		if d, ok := parseWrapped(data, side); ok {
			return d, nil
		}
	}
	return unrecognized(data, guess), nil
}

func unrecognized(data json.RawMessage, side Side) *Document {
	return &Document{Format: FormatUnrecognized, Side: side, Extras: Extras{keyRaw: data}}
}

// innerKeys are the keys under which clients put their whole input or output. An argument that is a list can have any name.
var innerKeys = map[Side][]string{Inputs: {"input", "inputs", "kwargs", "request"}, Outputs: {"output", "outputs", "result", "response"}}

// keyArgs is the key under which a client puts several arguments. The first is the query, the others are options.
const keyArgs = "args"

// wrapped finds a value that a client has wrapped under its own key.
func wrapped(raw json.RawMessage, side Side) (key string, inner json.RawMessage, ok bool) {
	o, _ := rawjson.ReadObject(raw)
	if args, _ := rawjson.ReadArray(o.Get(keyArgs)); side == Inputs && len(args) > 0 && rawjson.IsObject(args[0]) {
		return keyArgs, args[0], true
	}
	for _, key := range innerKeys[side] {
		if value := o.Get(key); rawjson.IsObject(value) || rawjson.IsArray(value) {
			return key, value, true
		}
	}
	if side == Inputs {
		key, ok := wrapper(o, side)
		return key, o.Get(key), ok
	}
	return "", nil, false
}

// parseWrapped reads a document that a client has wrapped under its own key. The other members become extras.
func parseWrapped(raw json.RawMessage, side Side) (*Document, bool) {
	key, inner, ok := wrapped(raw, side)
	if !ok {
		return nil, false
	}
	d, ok := parse(inner, side, detect(inner, side))
	if !ok {
		return nil, false
	}
	o, _ := rawjson.ReadObject(raw)
	extras := o.Rest(key)
	if args, _ := rawjson.ReadArray(o.Get(keyArgs)); key == keyArgs && len(args) > 1 {
		extras.Put(keyArgs, rawjson.EncodeArray(args[1:]))
	}
	for key, value := range d.Extras {
		if extras[key] != nil {
			return nil, false
		}
		extras.Put(key, value)
	}
	d.Shape, d.Extras, d.source = key+"."+d.Shape, extras, raw
	return d, true
}

// parse reads a document as one format.
func parse(raw json.RawMessage, side Side, format Format) (*Document, bool) {
	switch format {
	case FormatNative:
		return parseNative(raw, side)
	case FormatChatCompletions:
		return parseChat(raw, side)
	case FormatMessages:
		return parseMessages(raw, side)
	case FormatResponses:
		return parseResponses(raw, side)
	case FormatFramework:
		return parseFramework(raw, side)
	case FormatGemini:
		return parseGemini(raw, side)
	case FormatConverse:
		return parseConverse(raw, side)
	case FormatSDK:
		return parseSDK(raw, side)
	case FormatCohere:
		return parseCohere(raw, side)
	default:
		return nil, false
	}
}

// checkJSON ensures what all in-place readers rely on.
func checkJSON(data []byte, side Side) error {
	if !utf8.Valid(data) {
		return fmt.Errorf("reading %s: not JSON: the text is not UTF-8; encode it as UTF-8", side)
	}
	if json.Valid(data) {
		return nil
	}
	var v json.RawMessage
	err := json.Unmarshal(data, &v)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("reading %s: not JSON at byte %d: %w; pass the JSON text of the run's %s", side, syntax.Offset, err, side)
	}
	return fmt.Errorf("reading %s: not JSON: %w", side, err)
}
