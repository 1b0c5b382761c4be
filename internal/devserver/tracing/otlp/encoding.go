package otlp

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"io"
	"mime"

	collector "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
)

// Encoding is the media type of a request, and of its response.
type Encoding string

// The encodings of OTLP over HTTP.
const (
	Protobuf Encoding = "application/x-protobuf"
	JSON     Encoding = "application/json"
)

// EncodingOf parses a Content-Type.
func EncodingOf(contentType string) (Encoding, bool) {
	media, _, err := mime.ParseMediaType(contentType)
	switch {
	case err != nil:
		return "", false
	case media == string(JSON):
		return JSON, true
	case media == string(Protobuf), media == "application/protobuf":
		return Protobuf, true
	default:
		return "", false
	}
}

// Decode decodes an export request. Unknown fields are skipped.
func (e Encoding) Decode(body []byte) (*collector.ExportTraceServiceRequest, error) {
	var request collector.ExportTraceServiceRequest
	if e != JSON {
		return &request, proto.Unmarshal(body, &request)
	}
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(body, &request); err != nil {
		return nil, err
	}
	for _, resource := range request.GetResourceSpans() {
		for _, scope := range resource.GetScopeSpans() {
			for _, span := range scope.GetSpans() {
				span.TraceId = idOfJSON(span.GetTraceId(), traceIDLength)
				span.SpanId = idOfJSON(span.GetSpanId(), spanIDLength)
				span.ParentSpanId = idOfJSON(span.GetParentSpanId(), spanIDLength)
			}
		}
	}
	return &request, nil
}

// idOfJSON recovers an ID. OTLP writes IDs in hexadecimal digits, but the JSON decoder reads them as base64, as in all
// other Protocol Buffers. The length shows which encoding it was: some programs do send base64.
func idOfJSON(decoded []byte, length int) []byte {
	if len(decoded) == length {
		return decoded
	}
	id, err := hex.DecodeString(base64.StdEncoding.EncodeToString(decoded))
	if err != nil {
		return decoded
	}
	return id
}

// Encode encodes a response.
func (e Encoding) Encode(message proto.Message) ([]byte, error) {
	if e == JSON {
		return protojson.Marshal(message)
	}
	return proto.Marshal(message)
}

// spanSize and messageSize are the approximate sizes in memory of a decoded span and of any other message, apart from
// strings, including their entries in growing lists.
const spanSize, messageSize = 320, 160

// spanLevel is that of the lists of spans in JSON: in a scope of a resource of a request.
const spanLevel = 6

// jsonBounds are those of a request in JSON.
var jsonBounds = limits.JSON{Depth: limits.PayloadDepth, Values: limits.RunValues, Items: "spans", Level: spanLevel, Most: limits.Parts}

// DecodedSize estimates the memory needed to decode a body, apart from the body itself. A message of two bytes becomes hundreds, so the size
// of a body says little about the decoded size. It fails with a *limits.TooManyError or a *limits.TooDeepError if the body has too many spans,
// or too many attributes of one.
func (e Encoding) DecodedSize(body []byte) (int64, error) {
	if e == JSON {
		_, err := io.Copy(io.Discard, jsonBounds.Reader(bytes.NewReader(body)))
		return sizeOfJSON(body), err
	}
	var m messages
	err := m.count((&collector.ExportTraceServiceRequest{}).ProtoReflect().Descriptor(), body, 0)
	return m.size, err
}

// messages are the nested messages of a request.
type messages struct {
	size   int64
	spans  int
	others int // Since the last span began.
}

// count adds the messages in one. If they can't be determined, decoding fails, too.
func (m *messages) count(message protoreflect.MessageDescriptor, data []byte, depth int) error {
	for len(data) > 0 && depth <= protowire.DefaultRecursionLimit {
		number, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			return nil
		}
		value := data[n:]
		if n = protowire.ConsumeFieldValue(number, kind, value); n < 0 {
			return nil
		}
		data = value[n:]
		field := message.Fields().ByNumber(number)
		if kind != protowire.BytesType || field == nil || field.Message() == nil {
			continue
		}
		if field.Name() == "spans" {
			m.size, m.spans, m.others = m.size+spanSize, m.spans+1, 0
		} else {
			m.size, m.others = m.size+messageSize, m.others+1
		}
		switch {
		case m.spans > limits.Parts:
			return &limits.TooManyError{What: jsonBounds.Items, Most: limits.Parts}
		case m.others > limits.RunValues:
			return &limits.TooManyError{What: "attributes of a span", Most: limits.RunValues}
		}
		inner, _ := protowire.ConsumeBytes(value)
		if err := m.count(field.Message(), inner, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// sizeOfJSON returns the size of JSON objects. Spans are at the fourth level: in a scope of a resource of a request.
func sizeOfJSON(body []byte) int64 {
	var size int64
	quoted, level := false, 0
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{':
			level++
			size += messageSize
			if level == 4 {
				size += spanSize - messageSize
			}
		case c == '}':
			level--
		}
	}
	return size
}
