package otlp

import (
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
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
)

// jsonOf converts a value to JSON: null if it is empty. Bytes become a string if they are valid UTF-8. The nesting is
// limited by the decoder.
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

func textOfBytes(data []byte) string {
	if utf8.Valid(data) {
		return string(data)
	}
	return base64.StdEncoding.EncodeToString(data)
}

// textOf returns a value that is a string, or bytes.
func textOf(value *common.AnyValue) (string, bool) {
	switch v := value.GetValue().(type) {
	case *common.AnyValue_StringValue:
		return v.StringValue, true
	case *common.AnyValue_BytesValue:
		return textOfBytes(v.BytesValue), true
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
