package otlp

import (
	"encoding/base64"
	"encoding/hex"
	"mime"

	collector "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
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

// DecodedSize estimates the memory needed to decode a body, apart from the body itself. A message of two bytes becomes
// hundreds, so the size of a body says little about the decoded size.
func (e Encoding) DecodedSize(body []byte) int64 {
	if e == JSON {
		return sizeOfJSON(body)
	}
	return sizeWithin((&collector.ExportTraceServiceRequest{}).ProtoReflect().Descriptor(), body, 0)
}

// sizeWithin returns the size of nested messages. If it can't be determined, decoding fails, too.
func sizeWithin(message protoreflect.MessageDescriptor, data []byte, depth int) int64 {
	if depth > protowire.DefaultRecursionLimit {
		return 0
	}
	var size int64
	for len(data) > 0 {
		number, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			return size
		}
		value := data[n:]
		if n = protowire.ConsumeFieldValue(number, kind, value); n < 0 {
			return size
		}
		field := message.Fields().ByNumber(number)
		if inner, m := protowire.ConsumeBytes(value); kind == protowire.BytesType && m >= 0 && field != nil && field.Message() != nil {
			size += messageSize + sizeWithin(field.Message(), inner, depth+1)
			if field.Name() == "spans" {
				size += spanSize - messageSize
			}
		}
		data = value[n:]
	}
	return size
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
