package message

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
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
	format := detect(data, side)
	if d, ok := parse(data, side, format); ok {
		return d, nil
	}
	return &Document{Format: FormatUnrecognized, Side: side, Extras: Extras{keyRaw: data}}, nil
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
