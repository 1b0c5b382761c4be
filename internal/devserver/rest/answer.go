package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// Answer is the result of a handler: a status and a body, which may be nil.
type Answer struct {
	Status int
	Body   any
	Header http.Header
}

// OK is an answer with status 200 and a body.
func OK(body any) Answer { return Answer{Status: http.StatusOK, Body: body} }

// with returns the answer with another body, which is sent unchanged.
func (a Answer) with(body string) Answer {
	if a.Status == http.StatusNoContent && body != "" {
		a.Status = http.StatusOK
	}
	a.Body = encodedBody(body)
	return a
}

// answerTo turns an error into an answer in a dialect's terms.
func answerTo(err error, dialect *api.Dialect) Answer {
	if p, is := errors.AsType[*Error](err); is {
		return Answer{Status: p.Status, Body: p.In(dialect), Header: p.Header}
	}
	if errors.Is(err, store.ErrFull) {
		return Answer{
			Status: http.StatusServiceUnavailable,
			Header: http.Header{"Retry-After": {"30"}},
			Body:   api.ErrorDetail{Detail: "The disk of this server is full. Free some space, then send the request again."},
		}
	}
	if errors.Is(err, store.ErrBusy) {
		return answerTo(busy(), dialect)
	}
	return Answer{
		Status: http.StatusInternalServerError,
		Body:   api.ErrorDetail{Detail: "Internal Server Error"},
	}
}

// encodedBody encodes a body as JSON in a dialect's terms.
type encodedBody []byte

// encoded returns the answer with its body encoded as JSON, unless the body is sent unchanged.
func (a Answer) encoded(dialect *api.Dialect) (Answer, error) {
	switch a.Body.(type) {
	case nil, HTML, Content, encodedBody:
		return a, nil
	}
	body, err := encode(a.Body, dialect)
	a.Body = encodedBody(dialect.Body(body))
	return a, err
}

// write sends the answer in a dialect's terms. A write error means that the client is gone, which changes nothing here.
func (a Answer) write(w http.ResponseWriter, dialect *api.Dialect) error {
	a, err := a.encoded(dialect)
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return err
	}
	maps.Copy(w.Header(), a.Header)
	switch body := a.Body.(type) {
	case encodedBody:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(a.Status)
		_, err := w.Write(body)
		return err
	case HTML:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(a.Status)
		_, err := w.Write([]byte(body))
		return err
	case Content:
		w.WriteHeader(a.Status)
		return body.Send(w)
	default:
		w.WriteHeader(a.Status)
		return nil
	}
}

// Content is a body that is sent piece by piece, with the content type from the header.
type Content interface{ Send(w io.Writer) error }

// HTML is a body in HTML, as a load balancer in front of the service would send it.
type HTML string

// encode writes JSON with the fields of a dialect. It escapes only what JSON requires, not what HTML does.
func encode(body any, dialect *api.Dialect) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(Complete(reflect.ValueOf(body), dialect)); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// EncodeMembers joins the members of an object without decoding their values, which are JSON and can be large.
func EncodeMembers(members map[string]json.RawMessage) []byte {
	var b bytes.Buffer
	b.Grow(int(MembersSize(members)))
	_ = WriteMembers(&b, members) // Writes to a buffer never fail.
	return b.Bytes()
}

// MembersSize is the number of bytes that WriteMembers writes if no name needs escaping.
func MembersSize(members map[string]json.RawMessage) int64 {
	size := len("{}")
	for key, value := range members {
		size += len(key) + len(value) + len(`"":,`)
	}
	return int64(size - min(1, len(members))) // The last member has no comma.
}

// WriteMembers is EncodeMembers without copying the values.
func WriteMembers(w io.Writer, members map[string]json.RawMessage) error {
	before := "{"
	for _, key := range slices.Sorted(maps.Keys(members)) {
		quoted, _ := json.Marshal(key) // Encoding a string never fails.
		for _, part := range [][]byte{[]byte(before), quoted, []byte(":"), members[key]} {
			if _, err := w.Write(part); err != nil {
				return err
			}
		}
		before = ","
	}
	end := "}"
	if len(members) == 0 {
		end = "{}"
	}
	_, err := io.WriteString(w, end)
	return err
}

var (
	marshaler = reflect.TypeFor[json.Marshaler]()
	// resourceSpec has its own MarshalJSON only to preserve fields of newer services. This server has no such fields.
	resourceSpec = reflect.TypeFor[api.ResourceSpec]()
)

// Complete encodes v with every field of its type. The service returns every documented key, with null where there is no
// value, but the shared types omit nil fields because requests need that.
func Complete(v reflect.Value, dialect *api.Dialect) any {
	if !v.IsValid() {
		return nil
	}
	if v.Type().Implements(marshaler) && v.Type() != resourceSpec && v.Type() != reflect.PointerTo(resourceSpec) {
		return v.Interface()
	}
	if v.Type() == reflect.TypeFor[json.RawMessage]() {
		return v.Interface()
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return Complete(v.Elem(), dialect)
	case reflect.Struct:
		object := make(map[string]any, v.NumField())
		for i := range v.NumField() {
			if f := WireField(v.Type().Field(i)); f.in(dialect) {
				object[f.Name] = Complete(v.Field(i), dialect)
			}
		}
		return object
	case reflect.Map:
		if v.IsNil() {
			return nil
		}
		object := make(map[string]any, v.Len())
		for entry := v.MapRange(); entry.Next(); {
			object[entry.Key().String()] = Complete(entry.Value(), dialect)
		}
		return object
	case reflect.Slice:
		if v.IsNil() {
			return nil
		}
		list := make([]any, v.Len())
		for i := range list {
			list[i] = Complete(v.Index(i), dialect)
		}
		return list
	default:
		return v.Interface()
	}
}

// Collect converts a list; the result is never nil, so that it is encoded as [].
func Collect[From, To any](from []From, convert func(From) To) []To {
	to := make([]To, len(from))
	for i, v := range from {
		to[i] = convert(v)
	}
	return to
}
