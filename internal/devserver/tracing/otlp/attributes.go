package otlp

import (
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	common "go.opentelemetry.io/proto/slim/otlp/common/v1"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/ingest"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/texttable"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
)

//go:embed attributes.txt
var attributesText string

// row is a row of a table in attributes.txt: what some attributes say, and their names.
type row struct {
	name       string
	attributes []string
}

func table(kind string) (rows []row) {
	for words := range texttable.Rows(attributesText) {
		if words[0] == kind {
			rows = append(rows, row{words[1], words[2:]})
		}
	}
	return rows
}

// attributes are those of a span or an event. Reading one removes it: what remains at the end was not used.
type attributes map[string]*common.AnyValue

func newAttributes(list []*common.KeyValue) attributes {
	a := make(attributes, len(list))
	for _, entry := range list {
		if entry.GetValue().GetValue() != nil { // An empty value means none.
			a[entry.GetKey()] = entry.GetValue()
		}
	}
	return a
}

// has reports whether any of some attributes exists.
func (a attributes) has(keys ...string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { return a[key] != nil })
}

// peek returns the first of some attributes that is a non-empty string, without removing it.
func (a attributes) peek(keys ...string) string {
	for _, key := range keys {
		if text, _ := textOf(a[key]); text != "" {
			return text
		}
	}
	return ""
}

// text is peek, and removes all of them.
func (a attributes) text(keys ...string) string {
	found := a.peek(keys...)
	a.drop(keys...)
	return found
}

func (a attributes) drop(keys ...string) {
	for _, key := range keys {
		delete(a, key)
	}
}

// take returns the first of some attributes that can be read, and removes all of them.
func take[T any](a attributes, read func(*common.AnyValue) (T, bool), keys []string) (found T, is bool) {
	for _, key := range keys {
		if value := a[key]; value != nil && !is {
			found, is = read(value)
		}
		delete(a, key)
	}
	return found, is
}

// payload returns the first of some attributes, as JSON, and removes all of them; nil if there is none.
func (a attributes) payload(keys ...string) json.RawMessage {
	found, _ := take(a, func(value *common.AnyValue) (json.RawMessage, bool) { return payloadOf(value), true }, keys)
	return found
}

// list returns a list whose elements may be JSON in strings, and removes it; nil if it isn't a list.
func (a attributes) list(key string) json.RawMessage {
	values := a[key].GetArrayValue().GetValues()
	if values == nil {
		return nil
	}
	delete(a, key)
	list := make([]json.RawMessage, len(values))
	for i, value := range values {
		list[i] = payloadOf(value)
	}
	return rawjson.EncodeArray(list)
}

// below removes all attributes with a prefix and returns them by the rest of their names.
func (a attributes) below(prefix string) attributes {
	var found attributes
	for key, value := range a {
		if name, is := strings.CutPrefix(key, prefix); is && name != "" {
			if found == nil {
				found = attributes{}
			}
			found[name] = value
			delete(a, key)
		}
	}
	return found
}

// entries removes the attributes that are named like elements of a list, PREFIX.NUMBER.NAME, and returns them in the order
// of their numbers; nil if there are none. A prefix ends with a dot.
func (a attributes) entries(prefix string) []attributes {
	byNumber := map[int]attributes{}
	for key, value := range a {
		name, is := strings.CutPrefix(key, prefix)
		if !is {
			continue
		}
		digits, name, _ := strings.Cut(name, ".")
		number, err := strconv.Atoi(digits)
		if err != nil || number < 0 {
			continue
		}
		if byNumber[number] == nil {
			byNumber[number] = attributes{}
		}
		byNumber[number][name] = value
		delete(a, key)
	}
	var list []attributes
	for _, number := range slices.Sorted(maps.Keys(byNumber)) {
		list = append(list, byNumber[number])
	}
	return list
}

// members returns the attributes as JSON.
func (a attributes) members() rawjson.Members {
	members := make(rawjson.Members, len(a))
	for key, value := range a {
		members[key] = jsonOf(value)
	}
	return members
}

// count returns the first of some attributes that is a token count, and removes all of them.
func (a attributes) count(keys ...string) (int64, bool) { return take(a, countOf, keys) }

// countOf returns a whole number, whatever type it was logged as.
func countOf(value *common.AnyValue) (n int64, is bool) {
	switch v := value.GetValue().(type) {
	case *common.AnyValue_IntValue:
		n, is = v.IntValue, true
	case *common.AnyValue_DoubleValue:
		// No token count is so large, and beyond that, floats don't represent every integer.
		n = int64(v.DoubleValue)
		is = v.DoubleValue < 1<<53 && float64(n) == v.DoubleValue
	case *common.AnyValue_StringValue:
		var err error
		n, err = strconv.ParseInt(v.StringValue, 10, 64)
		is = err == nil
	}
	return n, is && n >= 0
}

// number returns the first of some attributes that is a number, and removes all of them.
func (a attributes) number(keys ...string) (float64, bool) {
	return take(a, func(value *common.AnyValue) (float64, bool) {
		switch v := value.GetValue().(type) {
		case *common.AnyValue_DoubleValue:
			return v.DoubleValue, true
		case *common.AnyValue_IntValue:
			return float64(v.IntValue), true
		default:
			return 0, false
		}
	}, keys)
}

// texts removes an attribute that is a list of strings, as such or in JSON, or one comma-separated string.
func (a attributes) texts(key string) []string {
	value := a[key]
	delete(a, key)
	var list []string
	add := func(text string) {
		if text = strings.TrimSpace(text); text != "" {
			list = append(list, text)
		}
	}
	if elements, is := rawjson.ReadArray(payloadOf(value)); is {
		for _, element := range elements {
			text, _ := rawjson.ReadString(element)
			add(text)
		}
		return list
	}
	text, _ := textOf(value)
	for part := range strings.SplitSeq(text, ",") {
		add(part)
	}
	return list
}

// jsonOf converts a value to JSON: null if it is empty. The nesting is limited by the decoder.
func jsonOf(value *common.AnyValue) json.RawMessage {
	if text, is := textOf(value); is {
		return rawjson.Quote(text)
	}
	return appendJSON(nil, value)
}

// appendJSON appends a value, so that deeply nested values aren't copied at each level.
func appendJSON(b []byte, value *common.AnyValue) []byte {
	if text, is := textOf(value); is {
		return append(b, rawjson.Quote(text)...)
	}
	switch v := value.GetValue().(type) {
	case *common.AnyValue_BoolValue:
		return strconv.AppendBool(b, v.BoolValue)
	case *common.AnyValue_IntValue:
		return strconv.AppendInt(b, v.IntValue, 10)
	case *common.AnyValue_DoubleValue:
		return append(b, jsonOfDouble(v.DoubleValue)...)
	case *common.AnyValue_ArrayValue:
		b = append(b, '[')
		for i, element := range v.ArrayValue.GetValues() {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(b, element)
		}
		return append(b, ']')
	case *common.AnyValue_KvlistValue:
		return appendAttributes(b, v.KvlistValue.GetValues())
	default:
		return append(b, "null"...)
	}
}

// appendAttributes appends an object, sorted by key. The last value of a duplicate key counts.
func appendAttributes(b []byte, list []*common.KeyValue) []byte {
	members := make(map[string]*common.AnyValue, len(list))
	for _, entry := range list {
		members[entry.GetKey()] = entry.GetValue()
	}
	b = append(b, '{')
	for i, key := range slices.Sorted(maps.Keys(members)) {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, rawjson.Quote(key)...), ':')
		b = appendJSON(b, members[key])
	}
	return append(b, '}')
}

// jsonOfDouble returns a number, or the name of one that JSON doesn't support.
func jsonOfDouble(number float64) json.RawMessage {
	if math.IsNaN(number) || math.IsInf(number, 0) {
		return rawjson.Quote(strconv.FormatFloat(number, 'g', -1, 64))
	}
	return strconv.AppendFloat(nil, number, 'g', -1, 64)
}

// textOf returns a value that is a string, or bytes: in base64 unless they are valid UTF-8.
func textOf(value *common.AnyValue) (string, bool) {
	switch v := value.GetValue().(type) {
	case *common.AnyValue_StringValue:
		return v.StringValue, true
	case *common.AnyValue_BytesValue:
		if utf8.Valid(v.BytesValue) {
			return string(v.BytesValue), true
		}
		return base64.StdEncoding.EncodeToString(v.BytesValue), true
	default:
		return "", false
	}
}

// payloadOf returns a value that may be JSON in a string, because attributes used to be limited to strings. Any other
// string is unchanged.
func payloadOf(value *common.AnyValue) json.RawMessage {
	if text, is := textOf(value); is {
		if payload, is := parse(text); is {
			return payload
		}
	}
	return jsonOf(value)
}

// parse reads a string that is JSON, unless it is nested too deep for responses.
func parse(text string) (json.RawMessage, bool) {
	text = strings.TrimSpace(text)
	if text == "" || strings.IndexByte(`{["-0123456789tfn`, text[0]) < 0 { // Validating what can't be JSON makes an error.
		return nil, false
	}
	payload := json.RawMessage(text)
	if !ingest.Valid(payload) {
		return nil, false
	}
	if strings.Count(text, "[")+strings.Count(text, "{") > maxDepth && tooDeep(text) {
		return nil, false
	}
	return payload, true
}

// maxDepth leaves room for what a payload is wrapped in.
const maxDepth = limits.PayloadDepth - 20

// tooDeep reports whether the nesting of JSON exceeds maxDepth.
func tooDeep(text string) bool {
	_, err := io.Copy(io.Discard, limits.JSON{Depth: maxDepth, Values: math.MaxInt}.Reader(strings.NewReader(text)))
	return err != nil
}

// timeOf converts a time of OTLP, in nanoseconds since 1970. Zero is no time, and neither is anything after the year 2262.
func timeOf(nanoseconds uint64) (at time.Time, valid bool) {
	if nanoseconds == 0 || nanoseconds > math.MaxInt64 {
		return time.Time{}, false
	}
	return time.Unix(0, int64(nanoseconds)).UTC(), true
}

func jsonOfTime(at time.Time) json.RawMessage { return rawjson.Quote(timestamp.Format(at)) }
