package ingest

import (
	"bytes"
	"context"
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
		switch {
		case err == io.EOF && bytes.Contains(read.last, []byte("--"+parameters["boundary"]+"--")): // A wrapped EOF is a truncated body.
			return nil
		case err == io.EOF:
			return unprocessable(readingParts + ": multipart: NextPart: EOF")
		case err != nil:
			return unreadable(readingParts, err)
		case n == limits.FormParts:
			return TooMany("parts", limits.FormParts)
		}
		if err := visit(part); err != nil {
			return err
		}
	}
}

const readingParts = "error reading multipart data"

// ReadPart reads a part that stays in memory. The error is a *form.Error.
func ReadPart(share *limits.Share, bounds limits.JSON, part *multipart.Part) ([]byte, error) {
	data, err := share.ReadPart(bounds.Reader(part))
	return data, unreadable(readingParts, err)
}

// tail keeps the last bytes that were read: to package multipart, a body that ends before the header of a part looks complete.
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

// file is the content of an attachment. What fails while it is read is a *form.Error, unlike what fails while it is stored.
type file struct{ *multipart.Part }

func (f file) Read(p []byte) (int, error) {
	n, err := f.Part.Read(p)
	if err != nil && err != io.EOF { //nolint:errorlint // A wrapped EOF is a truncated body.
		err = unreadable(readingParts, err)
	}
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
	text, name, named := strings.Cut(rest, ".")
	isRun := event == string(Post) || event == string(Patch)
	if known := event == "feedback" && !named || event == "attachment" && name != "" || isRun && (!named || slices.Contains(partFields, name)); !known {
		return unprocessable("a part is named %q, expected post.ID, patch.ID, one of these with .%s, attachment.ID.NAME or feedback.ID",
			part.FormName(), strings.Join(partFields, ", ."))
	}
	id, err := ParseID(text)
	if err != nil {
		return unprocessable("part %q: id %s", part.FormName(), err)
	}
	switch event {
	case "feedback":
		return r.feedback(id, part)
	case "attachment":
		return r.attachment(ctx, id, name, part)
	default:
		return r.field(Kind(event), id, name, part)
	}
}

func (r *reading) field(kind Kind, id, name string, part *multipart.Part) error {
	bounds := RunBounds
	if name != "" {
		bounds = partBounds
	}
	data, err := ReadPart(r.share, bounds, part)
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
		if !Valid(data) {
			return unprocessable("part %q is not JSON in UTF-8", part.FormName())
		}
		if value := bytes.TrimSpace(data); string(value) != "null" {
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

func (r *reading) feedback(id string, part *multipart.Part) error {
	data, err := ReadPart(r.share, partBounds, part)
	if err != nil {
		return err
	}
	if !utf8.Valid(data) {
		return unprocessable("part %q is not UTF-8", part.FormName())
	}
	r.request.Feedback = append(r.request.Feedback, Feedback{ID: id, Body: data})
	return nil
}

func (r *reading) attachment(ctx context.Context, id, name string, part *multipart.Part) error {
	mimeType, _, err := mime.ParseMediaType(part.Header.Get("Content-Type"))
	if err != nil {
		mimeType = "application/octet-stream"
	}
	content, size, err := r.sink.Keep(ctx, file{part})
	if err != nil {
		return err
	}
	r.request.Attachments = append(r.request.Attachments, Attachment{RunID: id, Name: name, MimeType: mimeType, Size: size, Content: content})
	return nil
}
