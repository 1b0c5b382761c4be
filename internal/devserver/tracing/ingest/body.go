package ingest

import (
	"errors"
	"io"
	"os"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
)

// Body decompresses a request according to its Content-Encoding, and limits the result: a small request can expand to a
// lot. Reading past limit bytes returns an error of the kind form.TooLarge.
func Body(encoding string, body io.Reader, limit int64) (io.ReadCloser, error) {
	body = arriving{body}
	var plain io.ReadCloser
	var err error
	switch encoding {
	case "", "identity":
		plain = io.NopCloser(body)
	case "gzip", "x-gzip":
		plain, err = gzip.NewReader(body)
	case "deflate", "zlib": // In HTTP, deflate has a zlib header.
		plain, err = zlib.NewReader(body)
	case "zstd":
		var decoder *zstd.Decoder
		if decoder, err = zstd.NewReader(body, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(limits.ZstdWindow)); err == nil {
			plain = decoder.IOReadCloser()
		}
	default:
		return nil, form.Refuse(form.Unsupported, "Content-Encoding %q is not supported: send gzip, deflate, zstd or none", encoding)
	}
	if err != nil {
		return nil, unreadable("the body is not "+encoding+", as its Content-Encoding says", err)
	}
	return &bounded{ReadCloser: plain, left: limit, limit: limit}, nil
}

// arriving is a body on its way. Clients drop what is invalid, but send again what did not arrive in full.
type arriving struct{ from io.Reader }

func (a arriving) Read(p []byte) (int, error) {
	n, err := a.from.Read(p)
	switch {
	case err == nil || err == io.EOF: // A wrapped EOF is a body that was cut off.
		return n, err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return n, form.Refuse(form.TooLate, "Request timeout: the body did not arrive within %s", limits.BodyTime)
	default:
		return n, form.Refuse(form.TooLate, "Request timeout: the body did not arrive in full: %s", err)
	}
}

// bounded fails when it reads past its limit.
type bounded struct {
	io.ReadCloser
	left, limit int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left+1)]) // Only one more byte is too much.
	if int64(n) > b.left {
		n, err = int(b.left), form.Refuse(form.TooLarge, "the body is larger than %d bytes: send fewer runs at once", b.limit)
	}
	b.left -= int64(n)
	return n, err
}

// ReadAll reads data that stays in memory. The error is a *form.Error.
func ReadAll(share *limits.Share, from io.Reader) ([]byte, error) {
	data, err := share.ReadAll(from)
	return data, unreadable("error reading the body", err)
}

// RunBounds are those of a run in JSON, and BatchBounds those of the body of POST /runs/batch.
var (
	RunBounds   = limits.JSON{Depth: limits.PayloadDepth, Values: limits.RunValues, Members: limits.RunMembers, Fields: limits.RunFields}
	BatchBounds = limits.JSON{
		Depth: limits.PayloadDepth, Values: limits.RunValues, Members: limits.RunMembers, Items: operations, Level: 2, Most: limits.Operations, Fields: limits.RunFields,
	}
	// partBounds are those of a part that isn't a run.
	partBounds = limits.JSON{Depth: limits.PayloadDepth, Values: limits.RunValues, Members: limits.RunMembers}
)

// operations is what there are limits.Operations of.
const operations = "posts, patches and feedback"

// TooMany refuses a request that would block all others that log runs.
func TooMany(what string, most int) *form.Error {
	return form.Refuse(form.TooLarge, "Request entity too large: the request has more than %d %s: send fewer at once", most, what)
}

// Take accounts for memory needed to process a body, unless the body exceeds its bounds. The error is a *form.Error.
func Take(share *limits.Share, n int64, bounds error) error {
	if bounds == nil {
		bounds = share.Take(n)
	}
	return unreadable("error reading the body", bounds)
}

// unreadable returns the error for a body that can't be read: it is too large, did not arrive, or isn't in its declared encoding.
func unreadable(doing string, err error) error {
	known, is := errors.AsType[*form.Error](err)
	tooMuch, _ := errors.AsType[*limits.TooMuchError](err)
	tooMany, _ := errors.AsType[*limits.TooManyError](err)
	switch {
	case err == nil:
		return nil
	case is:
		return known
	case tooMuch != nil && tooMuch.Together:
		return form.Refuse(form.Busy, "Service unavailable: the runs being received take more than %d bytes in total: try again later", tooMuch.Bytes)
	case tooMuch != nil:
		return form.Refuse(form.TooLarge, "Request entity too large: the runs in one request take more than %d bytes: send fewer at once", tooMuch.Bytes)
	case tooMany != nil:
		return TooMany(tooMany.What, tooMany.Most)
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		return unprocessable("%s: the zstd window is larger than %d bytes", doing, limits.ZstdWindow)
	default:
		return unprocessable("%s: %s", doing, err)
	}
}
