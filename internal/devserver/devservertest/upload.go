package devservertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/klauspost/compress/zstd"
)

// Upload builds a body of POST /runs/multipart, in the same way as the clients of Go and Python: each part has a
// Content-Length, and the whole body is compressed with zstd.
type Upload struct {
	t    testing.TB
	Body bytes.Buffer
	form *multipart.Writer
}

// NewUpload returns an empty body.
func NewUpload(t testing.TB) *Upload {
	u := &Upload{t: t}
	u.form = multipart.NewWriter(&u.Body)
	return u
}

// apart are the fields that clients send in separate parts.
var apart = []string{"inputs", "outputs", "events", "error", "extra", "serialized"}

// Add writes an operation, whose kind is post or patch.
func (u *Upload) Add(kind string, run Object) *Upload {
	u.t.Helper()
	name := fmt.Sprintf("%s.%s", kind, run["id"])
	own := maps.Clone(run)
	maps.DeleteFunc(own, func(field string, _ any) bool { return slices.Contains(apart, field) })
	u.json(name, own)
	for _, field := range apart {
		if value, given := run[field]; given {
			u.json(name+"."+field, value)
		}
	}
	return u
}

func (u *Upload) json(name string, value any) {
	u.t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		u.t.Fatal(err)
	}
	u.Part(name, "application/json", text)
}

// Part writes a part unchanged.
func (u *Upload) Part(name, mimeType string, content []byte) {
	u.t.Helper()
	header := textproto.MIMEHeader{
		"Content-Disposition": {fmt.Sprintf("form-data; name=%q", name)}, "Content-Type": {mimeType},
		"Content-Length": {fmt.Sprint(len(content))},
	}
	w, err := u.form.CreatePart(header)
	if err == nil {
		_, err = w.Write(content)
	}
	if err != nil {
		u.t.Fatal(err)
	}
}

// Rate adds feedback.
func (u *Upload) Rate(id string, feedback Object) *Upload {
	u.t.Helper()
	u.json("feedback."+id, feedback)
	return u
}

// Attach adds a file to a run.
func (u *Upload) Attach(runID, name, mimeType, content string) *Upload {
	u.t.Helper()
	u.Part("attachment."+runID+"."+name, mimeType, []byte(content))
	return u
}

// Request finishes the body and makes a request without a Content-Length, as clients do that compress while sending.
func (u *Upload) Request(url string) *http.Request {
	u.t.Helper()
	if err := u.form.Close(); err != nil {
		u.t.Fatal(err)
	}
	var compressed bytes.Buffer
	encoder, err := zstd.NewWriter(&compressed)
	if err == nil {
		_, err = encoder.Write(u.Body.Bytes())
	}
	if err == nil {
		err = encoder.Close()
	}
	if err != nil {
		u.t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(u.t.Context(), http.MethodPost, url+"/runs/multipart", io.MultiReader(&compressed))
	if err != nil {
		u.t.Fatal(err)
	}
	request.Header.Set("Content-Type", u.form.FormDataContentType())
	request.Header.Set("Content-Encoding", "zstd")
	return request
}

// Send posts the body.
func (u *Upload) Send(p *Plane) Reply {
	u.t.Helper()
	request := u.Request(p.Web.URL)
	maps.Copy(request.Header, p.Header)
	return p.send(request)
}

// RootRun is what a client logs when a root run starts. The time in its dotted order is start.
func RootRun(changes ...Object) Object {
	id := uuid.NewString()
	return With(Object{
		"id": id, "trace_id": id, "dotted_order": "20260502T100000000000Z" + id, "start_time": "2026-05-02T10:00:00Z",
		"name": "chat", "run_type": "chain", "inputs": Object{}, "session_name": "agents",
	}, changes...)
}

// ChildRun is a run below another run.
func ChildRun(parent Object, changes ...Object) Object {
	id := uuid.NewString()
	return With(Object{
		"id": id, "trace_id": parent["trace_id"], "parent_run_id": parent["id"],
		"dotted_order": fmt.Sprintf("%s.20260502T100000500000Z%s", parent["dotted_order"], id),
		"start_time":   "2026-05-02T10:00:00.5Z", "name": "model", "run_type": "llm", "inputs": Object{}, "session_name": "agents",
	}, changes...)
}

// PriceEntry is a minimal model price, with changes.
func PriceEntry(changes ...Object) Object {
	return With(Object{"name": "large", "match_pattern": "^example-large$", "prompt_cost": 0.000002, "completion_cost": "3e-6"}, changes...)
}
