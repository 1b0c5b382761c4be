package ingest_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/ingest"
)

const (
	runA  = "01a1fb6f-924d-7000-8000-00d1858fd5af"
	hexA  = "01a1fb6f924d7000800000d1858fd5af"
	runB  = "0c84ee2a-15a0-4b0e-9d4f-6a1f3b1c2d3e"
	bound = "----LangSmithFormBoundarytm3xp3cbu5m"
)

// kept is a Sink that keeps attachments in memory.
type kept map[string]string

func (k kept) Keep(_ context.Context, content io.Reader) (string, int64, error) {
	data, err := io.ReadAll(content)
	name := fmt.Sprintf("content-%d", len(k))
	k[name] = string(data)
	return name, int64(len(data)), err
}

// part is one part of a multipart body, with its headers as clients write them.
func part(name, headers, content string) string {
	return "--" + bound + "\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n" + headers + "\r\n\r\n" + content + "\r\n"
}

const end = "--" + bound + "--\r\n"

func multipart(body string) (ingest.Request, kept, error) {
	sink := kept{}
	request, err := ingest.Multipart(context.Background(), "multipart/form-data; boundary="+bound, strings.NewReader(body), share(), sink)
	return request, sink, err
}

// fields converts JSON texts to Fields.
func fields(pairs ...string) ingest.Fields {
	f := ingest.Fields{}
	for i := 0; i < len(pairs); i += 2 {
		f[pairs[i]] = json.RawMessage(pairs[i+1])
	}
	return f
}

// share is enough memory for any test that isn't about memory.
func share() *limits.Share { return limits.NewMemory(2<<20).Share("", 1<<20) }

func TestMultipart(t *testing.T) {
	t.Parallel()
	const inContentType = "Content-Type: application/json; length=20" // As sent by the JavaScript client.
	const inHeader = "Content-Type: application/json\r\nContent-Length: 20"
	for name, tc := range map[string]struct {
		body string
		want []ingest.Operation
	}{
		"nothing": {end, nil},
		"a run with its fields": {
			part("post."+runA, inContentType, `{"id":"`+runA+`","name":"chat","run_type":"llm","session_id":null}`) +
				part("post."+runA+".inputs", inHeader, `{"a": 1}`) +
				part("post."+runA+".error", inContentType, `"boom"`) + end,
			[]ingest.Operation{{Kind: ingest.Post, RunID: runA,
				Fields: fields("name", `"chat"`, "run_type", `"llm"`, "inputs", `{"a": 1}`, "error", `"boom"`)}},
		},
		"a field before its run, and without dashes": {
			part("patch."+hexA+".outputs", inHeader, `{"b":2}`) +
				part("patch."+runA, inHeader, `{"id":"`+hexA+`","outputs":{},"end_time":7}`) + end,
			[]ingest.Operation{{Kind: ingest.Patch, RunID: runA, Fields: fields("outputs", `{"b":2}`, "end_time", `7`)}},
		},
		"a post, a patch and another run": {
			part("post."+runA, inHeader, `{}`) + part("post."+runB, inHeader, `{"name":"b"}`) + part("patch."+runA, inHeader, `{}`) + end,
			[]ingest.Operation{
				{Kind: ingest.Post, RunID: runA, Fields: fields()},
				{Kind: ingest.Post, RunID: runB, Fields: fields("name", `"b"`)},
				{Kind: ingest.Patch, RunID: runA, Fields: fields()},
			},
		},
		"twice the same run: the later wins": {
			part("post."+runA, inHeader, `{"name":"a","tags":[]}`) + part("post."+runA, inHeader, `{"name":"b"}`) + end,
			[]ingest.Operation{{Kind: ingest.Post, RunID: runA, Fields: fields("name", `"b"`, "tags", `[]`)}},
		},
		"feedback is dropped, and a null says nothing": {
			part("feedback."+runB, inHeader, `{"score":1}`) + part("post."+runA+".outputs", inHeader, `null`) + end,
			[]ingest.Operation{{Kind: ingest.Post, RunID: runA, Fields: fields()}},
		},
	} {
		got, _, err := multipart(tc.body)
		devservertest.Must(t, err)
		devservertest.Same(t, name, tc.want, got.Operations)
	}
}

func TestMultipartAttachments(t *testing.T) {
	t.Parallel()
	got, sink, err := multipart(part("attachment."+hexA+".photo.1", "Content-Type: image/png; length=3", "\x89PN") +
		part("attachment."+runA+".raw", "Content-Length: 0", "") + end)
	devservertest.Must(t, err)
	want := []ingest.Attachment{
		{RunID: runA, Name: "photo.1", MimeType: "image/png", Size: 3, Content: "content-0"},
		{RunID: runA, Name: "raw", MimeType: "application/octet-stream", Content: "content-1"},
	}
	devservertest.Same(t, "got.Attachments", want, got.Attachments)
	devservertest.Same(t, "sink", kept{"content-0": "\x89PN", "content-1": ""}, sink)
}

func TestMultipartRefuses(t *testing.T) {
	t.Parallel()
	const js = "Content-Type: application/json"
	for name, tc := range map[string]struct{ body, want string }{
		"empty":                {"", "error reading multipart data: multipart: NextPart: EOF"},
		"broken off":           {part("post."+runA, js, `{}`), "error reading multipart data: unexpected EOF"},
		"broken off in a part": {part("post."+runA, js, `{}`) + "--" + bound + "\r\nContent-Dis", "error reading multipart data:"},
		"name":                 {part("put."+runA, js, `{}`) + end, `a part is named "put.` + runA + `", expected post.ID`},
		"no name":              {part("", js, `{}`) + end, `a part is named "", expected post.ID`},
		"field":                {part("post."+runA+".name", js, `"a"`) + end, `a part is named "post.` + runA + `.name"`},
		"attachment's name":    {part("attachment."+runA, js, "") + end, `a part is named "attachment.` + runA + `"`},
		"id":                   {part("post.7", js, `{}`) + end, `part "post.7": id "7" is not a UUID`},
		"attachment's id":      {part("attachment.7.a", js, `{}`) + end, `part "attachment.7.a": id "7" is not a UUID`},
		"form of id":           {part("post.{"+runA+"}", js, `{}`) + end, `is not a UUID`},
		"JSON":                 {part("post."+runA+".inputs", js, `{`) + end, `part "post.` + runA + `.inputs" is not JSON`},
		"run":                  {part("post."+runA, js, `[]`) + end, `part "post.` + runA + `" is not a run: json: cannot unmarshal array`},
		"null run":             {part("post."+runA, js, `null`) + end, `part "post.` + runA + `" is not a run: expected an object, found null`},
		"compressed part": {part("post."+runA, js+"\r\nContent-Encoding: gzip", `{}`) + end,
			`part "post.` + runA + `" has Content-Encoding "gzip": compress the whole body instead`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, _, err := multipart(tc.body)
			if len(got.Operations) > 0 {
				t.Errorf("operations of a refused request = %v, want none", got)
			}
			refused(t, err, form.Unprocessable, "Unprocessable entity: "+tc.want)
		})
	}
}

// TestMultipartBounds sends as many parts and runs as are allowed, and one more.
func TestMultipartBounds(t *testing.T) {
	t.Parallel()
	field := func() string { return part("patch."+runA+".inputs", "Content-Type: application/json", `{}`) }
	run := func() string { return part("patch."+uuid.NewString(), "Content-Type: application/json", `{}`) }
	for what, test := range map[string]struct {
		part func() string
		most int
	}{"parts": {field, limits.FormParts}, "posts, patches and feedback": {run, limits.Operations}} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			var body strings.Builder
			for range test.most {
				body.WriteString(test.part())
			}
			_, _, err := multipart(body.String() + end)
			devservertest.Must(t, err)
			_, _, err = multipart(body.String() + test.part() + end)
			refused(t, err, form.TooLarge, fmt.Sprintf("Request entity too large: the request has more than %d %s: send fewer at once", test.most, what))
		})
	}
}

// TestMultipartValues checks that a field is kept unchanged if encoding/json accepts it and it is valid UTF-8, however odd it is.
func TestMultipartValues(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		` {"a": [1, "x"]} `: `{"a": [1, "x"]}`, `{"a":1,"a":2}`: `{"a":1,"a":2}`, `{"half":"\ud800"}`: `{"half":"\ud800"}`, `"é"`: `"é"`, `null`: "",
		`{"a":1,}`: "refused", `{} {}`: "refused", "\"\xff\"": "refused", ``: "refused", `01`: "refused",
	} {
		request, _, err := multipart(part("post."+runA+".inputs", "Content-Type: application/json", text) + end)
		if want == "refused" {
			refused(t, err, form.Unprocessable, `part "post.`+runA+`.inputs" is not JSON in UTF-8`)
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got := string(request.Operations[0].Fields["inputs"]); got != want {
			t.Errorf("field %s is kept as %s, want %s", text, got, want)
		}
	}
}

// refused expects a request to be refused with status and a message that contains want.
func refused(t *testing.T, err error, kind form.Kind, want string) {
	t.Helper()
	known, is := errors.AsType[*form.Error](err)
	if !is || known.Kind != kind {
		t.Fatalf("error = %v, want one of kind %d", err, kind)
	}
	want = strings.TrimPrefix(want, "Unprocessable entity: ")
	if !strings.Contains(err.Error(), want) {
		t.Errorf("error = %q, want %q", err, want)
	}
}

func TestMultipartWantsABoundary(t *testing.T) {
	t.Parallel()
	for _, contentType := range []string{"", "application/json", "multipart/form-data", "multipart/mixed; boundary=a", "a/b/c;;"} {
		_, err := ingest.Multipart(context.Background(), contentType, strings.NewReader(end), share(), kept{})
		refused(t, err, form.Unprocessable, "expected multipart/form-data with a boundary")
	}
}

var errFull = errors.New("disk full")

type full struct{}

func (full) Keep(context.Context, io.Reader) (string, int64, error) {
	return "", 0, errFull
}

func TestMultipartPassesTheSinksErrorOn(t *testing.T) {
	t.Parallel()
	_, err := ingest.Multipart(context.Background(), "multipart/form-data; boundary="+bound,
		strings.NewReader(part("attachment."+runA+".a", "Content-Length: 1", "x")+end), share(), full{})
	if !errors.Is(err, errFull) {
		t.Errorf("error = %v, want the sink's", err)
	}
}

func TestSingle(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		kind     ingest.Kind
		id, body string
		want     ingest.Operation
	}{
		"post without an id": {ingest.Post, "", `{"name":"a","id":null,"tags":null}`,
			ingest.Operation{Kind: ingest.Post, Fields: fields("name", `"a"`)}},
		"post": {ingest.Post, "", `{"id":"` + hexA + `"}`, ingest.Operation{Kind: ingest.Post, RunID: runA, Fields: fields()}},
		"patch": {ingest.Patch, hexA, `{"end_time":1.5}`,
			ingest.Operation{Kind: ingest.Patch, RunID: runA, Fields: fields("end_time", `1.5`)}},
	} {
		got, err := ingest.Single(tc.kind, tc.id, []byte(tc.body))
		devservertest.Must(t, err)
		devservertest.Same(t, name, tc.want, got)
	}
	for body, want := range map[string]string{
		``: "the body is not a run", `7`: "the body is not a run", `{"id":7}`: "id 7 is not a UUID", `{"id":"x"}`: `id "x" is not a UUID`,
	} {
		_, err := ingest.Single(ingest.Post, "", []byte(body))
		refused(t, err, form.Unprocessable, want)
	}
}

func TestBatch(t *testing.T) {
	t.Parallel()
	got, err := ingest.Batch([]byte(`{"patch":[{"id":"` + runA + `","error":"x"}],"post":[{"id":"` + runB + `"},{"name":"c"}]}`))
	devservertest.Must(t, err)
	want := []ingest.Operation{
		{Kind: ingest.Post, RunID: runB, Fields: fields()},
		{Kind: ingest.Post, Fields: fields("name", `"c"`)},
		{Kind: ingest.Patch, RunID: runA, Fields: fields("error", `"x"`)},
	}
	devservertest.Same(t, "result", want, got)
	for body, want := range map[string]string{
		`[]`: "the body is not a batch of runs", `{"post":{}}`: "the body is not a batch of runs",
		`{"post":[{},7]}`: "post[1] is not a run", `{"patch":[{}]}`: "patch[0]: a patch needs the id of its run",
		`{"patch":[{"id":"x"}]}`: `patch[0]: id "x" is not a UUID`,
	} {
		_, err := ingest.Batch([]byte(body))
		refused(t, err, form.Unprocessable, want)
	}
}

func TestBody(t *testing.T) {
	t.Parallel()
	plain := strings.Repeat("some runs ", 1000)
	var zipped, deflated, zstandard bytes.Buffer
	gz := gzip.NewWriter(&zipped)
	zs, err := zstd.NewWriter(&zstandard)
	devservertest.Must(t, err)
	for _, w := range []io.WriteCloser{gz, zlib.NewWriter(&deflated), zs} {
		if _, err := io.WriteString(w, plain); err != nil {
			t.Fatal(err)
		}
		devservertest.Must(t, w.Close())
	}
	for encoding, body := range map[string]string{"": plain, "identity": plain, "gzip": zipped.String(), "zstd": zstandard.String(),
		"deflate": deflated.String()} {
		t.Run("encoding "+encoding, func(t *testing.T) {
			t.Parallel()
			got, err := read(encoding, body, int64(len(plain)))
			devservertest.Must(t, err)
			if got != plain {
				t.Errorf("read %d bytes, or other ones, want the %d sent", len(got), len(plain))
			}
			got, err = read(encoding, body, int64(len(plain)-1))
			refused(t, err, form.TooLarge, fmt.Sprintf("the body is larger than %d bytes", len(plain)-1))
			if len(got) != len(plain)-1 {
				t.Errorf("read %d bytes, want as many as the limit", len(got))
			}
		})
	}
	_, err = read("gzip", plain, 100)
	refused(t, err, form.Unprocessable, "the body is not gzip")
	_, err = read("deflate", plain, 100)
	refused(t, err, form.Unprocessable, "the body is not deflate")
	_, err = read("br", plain, 100)
	refused(t, err, form.Unsupported, `Content-Encoding "br" is not supported: send gzip, deflate, zstd or none`)
	if _, err = read("zstd", plain, 100); err == nil {
		t.Error("reading a body that isn't zstd: error = nil, want one")
	}
}

// TestZstdWindow checks that the window of a stream is limited, however short the stream is. It sends the header of a frame (RFC 8878) with a
// window of 64 MiB.
func TestZstdWindow(t *testing.T) {
	t.Parallel()
	body, err := ingest.Body("zstd", strings.NewReader("\x28\xb5\x2f\xfd\x00\x80\x01\x00\x00"), 100)
	if err == nil {
		_, err = ingest.ReadAll(limits.NewMemory(2<<20).Share("", 1<<20), body)
	}
	refused(t, err, form.Unprocessable, "the zstd window is larger than 33554432 bytes")
}

func read(encoding, body string, limit int64) (string, error) {
	r, err := ingest.Body(encoding, strings.NewReader(body), limit)
	if err != nil {
		return "", err
	}
	data, err := io.ReadAll(r)
	return string(data), errors.Join(err, r.Close())
}

func FuzzMultipart(f *testing.F) {
	f.Add(part("post."+runA, "Content-Type: application/json", `{"id":"a"}`) + end)
	f.Add(part("attachment."+runA+".a", "", "x"))
	f.Fuzz(func(t *testing.T, body string) {
		request, _, err := multipart(body)
		for _, op := range request.Operations {
			if _, bad := ingest.ParseID(op.RunID); bad != nil || err != nil {
				t.Errorf("operation %v, error %v; want an ID and no error", op, err)
			}
		}
	})
}

// FuzzRuns reads a body as one run and as a batch, compressed or not: every operation must have a valid ID or none, and
// valid JSON fields.
func FuzzRuns(f *testing.F) {
	for _, body := range []string{
		`{"id":"` + runA + `","extra":{"metadata":{"a":null}}}`, `{"post":[{"id":"` + runA + `"}],"patch":[]}`, `{"post":[[]]}`, "null", "\xff",
		strings.Repeat(`{"post":[`, 6000), `{"inputs":` + strings.Repeat("[", 20_000) + "}",
	} {
		f.Add([]byte(body), "")
		f.Add([]byte(body), "gzip")
	}
	f.Add([]byte("\x28\xb5\x2f\xfd\x04\x00\x01\x00\x00"), "zstd")
	f.Fuzz(func(t *testing.T, body []byte, encoding string) {
		const limit = 1 << 20
		text, err := read(encoding, string(body), limit)
		if len(text) > limit {
			t.Errorf("read %d bytes, want at most %d", len(text), limit)
		}
		if err != nil {
			return
		}
		operations, _ := ingest.Batch([]byte(text))
		if one, err := ingest.Single(ingest.Post, "", []byte(text)); err == nil {
			operations = append(operations, one)
		}
		for _, op := range operations {
			if _, bad := ingest.ParseID(op.RunID); bad != nil && op.RunID != "" {
				t.Errorf("ID = %q, want a valid one or none", op.RunID)
			}
			for name, value := range ingest.Merge(op.Fields, op.Fields) {
				if !json.Valid(value) {
					t.Errorf("field %s isn't valid JSON: %s", name, value)
				}
			}
		}
	})
}
