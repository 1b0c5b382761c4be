package otlp

import (
	"io"
	"math"

	collector "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
)

// spanLevel is that of the lists of spans in JSON: in a scope of a resource of a request.
const spanLevel = 6

// jsonBounds are those of a request in JSON.
var jsonBounds = limits.JSON{Depth: limits.RefusedDepth, Values: limits.RunValues, Items: "spans", Level: spanLevel, Most: limits.Parts}

// Bounded returns a reader of a body that fails with a *limits.TooManyError as soon as it has read too many spans, or too many attributes of
// one.
func (e Encoding) Bounded(body io.Reader) io.Reader {
	if e == JSON {
		return jsonBounds.Reader(body)
	}
	return &protobufReader{from: body, within: []within{{(&collector.ExportTraceServiceRequest{}).ProtoReflect().Descriptor(), math.MaxInt64}}}
}

// within is a message that has begun.
type within struct {
	message protoreflect.MessageDescriptor
	end     int64
}

// protobufReader counts the messages in a body. It doesn't validate the body.
type protobufReader struct {
	from    io.Reader
	failure error

	within        []within // The last one is the innermost.
	at            int64    // The number of bytes before the next one.
	skip          int64    // The number of bytes that belong to a value without messages.
	number        uint64   // What has been read of a number.
	shift         uint
	next          expected
	field         protoreflect.FieldDescriptor // The one whose length comes next; nil if it is unknown.
	spans, values int
}

// expected is what a number in a body is.
type expected int

const (
	aTag expected = iota
	aValue
	aLength
)

func (r *protobufReader) Read(p []byte) (int, error) {
	if r.failure != nil {
		return 0, r.failure
	}
	n, err := r.from.Read(p)
	if r.failure = r.scan(p[:n]); r.failure != nil {
		return 0, r.failure
	}
	return n, err
}

func (r *protobufReader) scan(data []byte) error {
	for len(data) > 0 {
		if r.skip > 0 {
			n := min(r.skip, int64(len(data)))
			data, r.skip, r.at = data[n:], r.skip-n, r.at+n
			r.leave()
			continue
		}
		c := data[0]
		data, r.at = data[1:], r.at+1
		if r.shift < 64 {
			r.number |= uint64(c&0x7f) << r.shift
		}
		if r.shift += 7; c < 0x80 {
			number := r.number
			r.number, r.shift = 0, 0
			if err := r.read(number); err != nil {
				return err
			}
		}
		r.leave()
	}
	return nil
}

// leave ends the messages that are complete.
func (r *protobufReader) leave() {
	for last := len(r.within) - 1; last > 0 && r.at >= r.within[last].end; last-- {
		r.within, r.next, r.number, r.shift = r.within[:last], aTag, 0, 0
	}
}

// read interprets a number. Groups, which only unknown fields can have, are read as if their fields were those of the message.
func (r *protobufReader) read(number uint64) error {
	in := r.within[len(r.within)-1]
	left := in.end - r.at // What is in a message never exceeds it, whatever its length says.
	switch r.next {
	case aTag:
		of, kind := protowire.DecodeTag(number)
		switch kind {
		case protowire.VarintType:
			r.next = aValue
		case protowire.Fixed32Type:
			r.skip = min(4, left)
		case protowire.Fixed64Type:
			r.skip = min(8, left)
		case protowire.BytesType:
			r.next, r.field = aLength, in.message.Fields().ByNumber(of)
		case protowire.StartGroupType, protowire.EndGroupType:
		}
	case aValue:
		r.next = aTag
	case aLength:
		length := left
		if n := int64(number); n >= 0 { //nolint:gosec // What overflows is beyond the end, too.
			length = min(n, left)
		}
		r.next = aTag
		if r.field == nil || r.field.Message() == nil || len(r.within) > protowire.DefaultRecursionLimit {
			r.skip = length
			return nil
		}
		r.within = append(r.within, within{r.field.Message(), r.at + length})
		return r.count()
	}
	return nil
}

// count counts the message that has begun.
func (r *protobufReader) count() error {
	if r.field.Name() == "spans" {
		r.spans, r.values = r.spans+1, 0
	} else {
		r.values++
	}
	switch {
	case r.spans > limits.Parts:
		return &limits.TooManyError{What: jsonBounds.Items, Most: limits.Parts}
	case r.values > limits.RunValues:
		return &limits.TooManyError{What: "attributes of a span", Most: limits.RunValues}
	}
	return nil
}
