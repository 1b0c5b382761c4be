package ingest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
)

// Sink consumes the content of attachments while it arrives, so that it is never in memory as a whole.
type Sink interface {
	// Keep reads content to its end, and returns the ID under which it was stored and its size.
	Keep(ctx context.Context, content io.Reader) (name string, size int64, err error)
}

// partFields are the fields of a run that may be sent in separate parts.
var partFields = []string{"inputs", "outputs", "events", "error", "extra", "serialized"}

// Multipart reads the body of POST /runs/multipart. Its parts are named post.ID and patch.ID for a run, post.ID.FIELD and
// patch.ID.FIELD for one of its fields, attachment.ID.NAME for a file, and feedback.ID for feedback with this ID. A field
// may precede its run. Only boundaries determine the length of parts: clients send lengths in different places, and they
// are not needed.
func Multipart(ctx context.Context, contentType string, body io.Reader, share *limits.Share, sink Sink) (Request, error) {
	r := reading{share: share, sink: sink, at: map[string]int{}, own: map[string]bool{}}
	err := Parts(contentType, body, func(part *multipart.Part) error {
		err := r.part(ctx, part)
		if err == nil && len(r.request.Operations)+len(r.request.Feedback) > limits.Operations {
			err = TooMany(operations, limits.Operations)
		}
		return err
	})
	if err != nil {
		return Request{}, err
	}
	return r.request, nil
}

// Parts calls visit with each part of a multipart body, until it fails.
func Parts(contentType string, body io.Reader, visit func(*multipart.Part) error) error {
	media, parameters, err := mime.ParseMediaType(contentType)
	if err != nil || media != "multipart/form-data" || parameters["boundary"] == "" {
		return unprocessable("Content-Type is %q, expected multipart/form-data with a boundary", contentType)
	}
	read := &tail{from: body}
	parts := multipart.NewReader(read, parameters["boundary"])
	for n := 0; ; n++ {
		part, err := parts.NextRawPart()
		if err == io.EOF { //nolint:errorlint // A wrapped EOF is a truncated body.
			if !bytes.Contains(read.last, []byte("--"+parameters["boundary"]+"--")) {
				return unprocessable("error reading multipart data: multipart: NextPart: EOF")
			}
			return nil
		}
		if err == nil && n == limits.FormParts {
			err = TooMany("parts", limits.FormParts)
		}
		if err == nil {
			err = visit(part)
		}
		if err != nil {
			return wrapped(err)
		}
	}
}

// tail keeps the last bytes that were read: to package multipart, a body that is truncated between two parts looks
// complete.
type tail struct {
	from io.Reader
	last []byte
}

// tailSize exceeds the last boundary, which has at most 70 characters, and what may follow it.
const tailSize = 1 << 10

func (t *tail) Read(p []byte) (int, error) {
	n, err := t.from.Read(p)
	fresh := p[max(0, n-tailSize):n]
	old := t.last[max(0, len(t.last)+len(fresh)-tailSize):]
	t.last = append(append(t.last[:0], old...), fresh...)
	return n, err
}

// wrapped adds a status to err, unless it is the sink's.
func wrapped(err error) error {
	if of, is := errors.AsType[*sinkError](err); is {
		return of.error
	}
	return unreadable("error reading multipart data", err)
}

// sinkError is an error of a sink, not of reading.
type sinkError struct{ error }

// watched records whether reading has failed.
type watched struct {
	io.Reader
	failed bool
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	w.failed = w.failed || err != nil && err != io.EOF
	return n, err
}

// reading collects operations by kind and run.
type reading struct {
	request Request
	share   *limits.Share
	sink    Sink
	at      map[string]int  // Indices in request.Operations, by "post.ID" or "patch.ID".
	own     map[string]bool // Fields that were sent in separate parts, by "post.ID.FIELD".
}

func (r *reading) part(ctx context.Context, part *multipart.Part) error {
	if encoding := part.Header.Get("Content-Encoding"); encoding != "" {
		return unprocessable("part %q has Content-Encoding %q: compress the whole body instead", part.FormName(), encoding)
	}
	event, rest, _ := strings.Cut(part.FormName(), ".")
	id, name, named := strings.Cut(rest, ".")
	switch {
	case event == "feedback" && !named:
		return r.feedback(id, part)
	case event == "attachment" && named && name != "":
		return r.attachment(ctx, id, name, part)
	case (event == string(Post) || event == string(Patch)) && (!named || slices.Contains(partFields, name)):
		return r.field(Kind(event), id, name, part)
	}
	return unprocessable("a part is named %q, expected post.ID, patch.ID, one of these with .%s, attachment.ID.NAME or feedback.ID",
		part.FormName(), strings.Join(partFields, ", ."))
}

func (r *reading) field(kind Kind, text, name string, part *multipart.Part) error {
	id, err := ParseID(text)
	if err != nil {
		return unprocessable("part %q: id %s", part.FormName(), err)
	}
	bounds := RunBounds
	if name != "" {
		bounds = partBounds
	}
	data, err := r.share.ReadPart(bounds.Reader(part))
	if err != nil {
		return err
	}
	key := string(kind) + "." + id
	place, known := r.at[key]
	if !known {
		place = len(r.request.Operations)
		r.at[key] = place
		r.request.Operations = append(r.request.Operations, Operation{Kind: kind, RunID: id, Fields: Fields{}})
	}
	fields := r.request.Operations[place].Fields
	if name != "" {
		value := json.RawMessage(data)
		if !Valid(data) && (!utf8.Valid(data) || decode(data, &value) != nil) {
			return unprocessable("part %q is not JSON in UTF-8", part.FormName())
		}
		value = bytes.TrimSpace(value)
		if string(value) != "null" {
			fields[name] = value
			r.own[key+"."+name] = true
		}
		return nil
	}
	run, err := object(data)
	if err != nil {
		return unprocessable("part %q is not a run: %s", part.FormName(), err)
	}
	op, err := operation(kind, id, run)
	if err != nil {
		return err
	}
	for field, value := range op.Fields {
		if !r.own[key+"."+field] { // A separate part wins, whichever comes first.
			fields[field] = value
		}
	}
	return nil
}

func (r *reading) feedback(text string, part *multipart.Part) error {
	id, err := ParseID(text)
	if err != nil {
		return unprocessable("part %q: id %s", part.FormName(), err)
	}
	data, err := r.share.ReadPart(partBounds.Reader(part))
	if err != nil {
		return err
	}
	if !utf8.Valid(data) {
		return unprocessable("part %q is not UTF-8", part.FormName())
	}
	r.request.Feedback = append(r.request.Feedback, Feedback{ID: id, Body: data})
	return nil
}

func (r *reading) attachment(ctx context.Context, text, name string, part *multipart.Part) error {
	id, err := ParseID(text)
	if err != nil {
		return unprocessable("part %q: id %s", part.FormName(), err)
	}
	mimeType, _, err := mime.ParseMediaType(part.Header.Get("Content-Type"))
	if err != nil {
		mimeType = "application/octet-stream"
	}
	from := &watched{Reader: part}
	content, size, err := r.sink.Keep(ctx, from)
	if err != nil && !from.failed {
		return &sinkError{err}
	}
	if err != nil {
		return err
	}
	r.request.Attachments = append(r.request.Attachments,
		Attachment{RunID: id, Name: name, MimeType: mimeType, Size: size, Content: content})
	return nil
}
