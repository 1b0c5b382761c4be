package rawjson

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
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
	var b strings.Builder
	b.Grow(len(inner))
	if !unescape(&b, inner) {
		return "", false
	}
	return b.String(), true
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
	var b bytes.Buffer
	b.Grow(len(inner))
	if !unescape(&b, inner) {
		return nil, false
	}
	return b.Bytes(), true
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

// escapes are the characters of the escapes with a letter.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// builder is a strings.Builder or a bytes.Buffer.
type builder interface {
	Write(text []byte) (int, error)
	WriteRune(r rune) (int, error)
}

// unescape decodes what is between the quotes of a string, with one copy; encoding/json makes two.
func unescape[B builder](b B, inner []byte) bool {
	for {
		plain, rest, escaped := bytes.Cut(inner, []byte{'\\'})
		if !utf8.Valid(plain) {
			plain = bytes.Map(func(r rune) rune { return r }, plain) // Each invalid byte becomes U+FFFD.
		}
		_, _ = b.Write(plain) // Writes to memory never fail.
		if !escaped {
			return true
		}
		escape := inner[len(inner)-len(rest)-1:]
		r, size := rune(0), 0
		if len(rest) > 0 && rest[0] == 'u' {
			r, size = unicodeEscape(escape)
		} else if len(rest) > 0 && escapes[rest[0]] != 0 {
			r, size = rune(escapes[rest[0]]), len(`\n`)
		}
		if size == 0 {
			return false
		}
		_, _ = b.WriteRune(r)
		inner = escape[size:]
	}
}

// unicodeEscape decodes the escape at the start of a text, or two that are a pair of surrogates, and returns its length: 0 if it is
// none.
func unicodeEscape(text []byte) (rune, int) {
	const length = len(`\u0000`)
	first, ok := codeUnit(text)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(first) {
		return first, length
	}
	second, _ := codeUnit(text[length:])
	if r := utf16.DecodeRune(first, second); r != utf8.RuneError {
		return r, 2 * length
	}
	return utf8.RuneError, length
}

func codeUnit(text []byte) (rune, bool) {
	if len(text) < len(`\u0000`) || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	var unit [2]byte
	_, err := hex.Decode(unit[:], text[2:6])
	return rune(binary.BigEndian.Uint16(unit[:])), err == nil
}

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
