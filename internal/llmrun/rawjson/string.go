package rawjson

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/go-json-experiment/json/jsontext"
)

// words are the keys of nearly every message, and the roles and types that are their values; reading them allocates nothing.
var words = func() map[string]string {
	known := map[string]string{}
	for word := range strings.FieldsSeq(`
		role content type text name args id extras messages message parts tool_call_id tool_calls toolCallId toolName toolCalls call_id callId
		function arguments image_url url base64 mime_type mimeType mediaType source input output tool_use_id usage_metadata data status
		system developer user assistant tool model human ai reasoning thinking signature annotations citations refusal image file audio video
		document tool_use tool_result tool_call tool-call tool-result input_text output_text input_image function_call function_call_output
		success completed providerOptions providerMetadata providerData cache_control index finish_reason`) {
		known[word] = word
	}
	return known
}()

// longestWord is the length of the longest of the words.
const longestWord = len("function_call_output")

// ReadString decodes a string; an unpaired surrogate becomes U+FFFD, as everywhere in Go.
func ReadString(raw []byte) (string, bool) {
	inner, ok := cutQuotes(raw)
	if len(inner) <= longestWord {
		if word, known := words[string(inner)]; known {
			return word, true
		}
	}
	if !ok || isVerbatim(inner) {
		return string(inner), ok
	}
	text, ok := unquote(raw)
	return unsafe.String(unsafe.SliceData(text), len(text)), ok //nolint:gosec // Nothing else has these bytes, and texts can be large.
}

// IsText reports whether a value is a string with this text.
func IsText(raw []byte, text string) bool {
	inner, ok := cutQuotes(raw)
	if ok && bytes.IndexByte(inner, '\\') >= 0 {
		decoded, _ := ReadString(raw)
		return decoded == text
	}
	return ok && string(inner) == text
}

// ReadInner decodes a string that contains JSON. Without escapes, the result is a slice of raw.
func ReadInner(raw []byte) (json.RawMessage, bool) {
	inner, ok := cutQuotes(raw)
	if !ok || isVerbatim(inner) {
		return slices.Clip(inner), ok
	}
	return unquote(raw)
}

// unquote decodes a string with escapes.
func unquote(raw []byte) ([]byte, bool) {
	text, err := jsontext.AppendUnquote(nil, bytes.TrimSpace(raw))
	return text, err == nil || json.Valid(raw) // An unpaired surrogate is an error, too.
}

// cutQuotes returns what is between the quotes of a string.
func cutQuotes(raw []byte) ([]byte, bool) {
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' { // Members and elements have no white space around them.
		raw = bytes.TrimSpace(raw)
	}
	if len(raw) < 2 || raw[0] != '"' {
		return nil, false
	}
	return raw[1 : len(raw)-1], true
}

// isVerbatim reports whether what is between the quotes of a string is what it stands for.
func isVerbatim(inner []byte) bool { return bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) }

// Quote encodes a string without the escapes that only HTML needs.
func Quote(s string) json.RawMessage { return appendQuoted(make([]byte, 0, len(s)+len(`""`)), s) }

func appendQuoted(b []byte, s string) []byte {
	if isPlain(s) {
		return append(append(append(b, '"'), s...), '"')
	}
	w := bytes.NewBuffer(b)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // A string can always be encoded.
	}
	return bytes.TrimSuffix(w.Bytes(), []byte("\n"))
}

// isPlain reports whether a string needs no escapes.
func isPlain(s string) bool {
	for _, c := range []byte(s) {
		if c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}
