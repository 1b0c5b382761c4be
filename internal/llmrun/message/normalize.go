package message

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// keyRaw is the extra that holds the whole value of an unrecognized document.
const keyRaw = "raw"

// Normalize recognises the format of one half of a run and reads it. The error is about data that is no JSON; a value
// in no known format is a Document of FormatUnrecognized that keeps it whole.
//
// The document shares memory with data, which therefore has to stay as it is.
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

// NormalizeEither is Normalize for data of which nobody knows the half of a run that it is: the document has the side that
// its structure tells, Inputs when it doesn't.
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

// innerKeys are the names under which clients put what they have been given as a whole, or what they have been answered. An
// argument that is a list can have any name.
var innerKeys = map[Side][]string{Inputs: {"input", "inputs", "kwargs", "request"}, Outputs: {"output", "outputs", "result", "response"}}

// keyArgs is the name under which a client puts what it has been given in several arguments. The first is what it asks, those
// after it say how.
const keyArgs = "args"

// wrapped finds the value that a client has put under a name of its own.
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

// parseWrapped reads a document that a client has put under a name of its own. What stands beside it joins the extras.
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

// checkJSON makes sure of what everything that reads in place relies on.
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
