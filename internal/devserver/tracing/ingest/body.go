package ingest

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
)

// Body decompresses a request according to its Content-Encoding, and limits the result: a small request can expand to a
// lot. Reading past limit bytes returns an *Error with status 413.
func Body(encoding string, body io.Reader, limit int64) (io.ReadCloser, error) {
	body = arriving{body}
	switch encoding {
	case "", "identity":
		return &bounded{from: io.NopCloser(body), left: limit, limit: limit}, nil
	case "gzip", "x-gzip":
		plain, err := gzip.NewReader(body)
		if err != nil {
			return nil, unreadable("the body is not gzip, as its Content-Encoding says", err)
		}
		return &bounded{from: plain, left: limit, limit: limit}, nil
	case "deflate", "zlib": // In HTTP, deflate has a zlib header.
		plain, err := zlib.NewReader(body)
		if err != nil {
			return nil, unreadable("the body is not deflate (RFC 1950), as its Content-Encoding says", err)
		}
		return &bounded{from: plain, left: limit, limit: limit}, nil
	case "zstd":
		plain, err := zstd.NewReader(body, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(limits.ZstdWindow))
		if err != nil {
			return nil, unreadable("the body is not zstd, as its Content-Encoding says", err)
		}
		return &bounded{from: plain.IOReadCloser(), left: limit, limit: limit}, nil
	default:
		return nil, &Error{
			Kind:    form.Unsupported,
			Problem: fmt.Sprintf("Content-Encoding %q is not supported: send gzip, deflate, zstd or none", encoding),
		}
	}
}

// arriving is a body on its way. Clients drop what is invalid, but send again what did not arrive in full.
type arriving struct{ from io.Reader }

func (a arriving) Read(p []byte) (int, error) {
	n, err := a.from.Read(p)
	switch {
	case err == nil || err == io.EOF: // A wrapped EOF is a body that was cut off.
		return n, err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return n, late("the body did not arrive within %s", limits.BodyTime)
	default:
		return n, late("the body did not arrive in full: %s", err)
	}
}

func late(format string, args ...any) *Error {
	return &Error{Kind: form.TooLate, Problem: "Request timeout: " + fmt.Sprintf(format, args...)}
}

// bounded fails when it reads past its limit.
type bounded struct {
	from        io.ReadCloser
	left, limit int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		// Only one more byte is too much.
		var one [1]byte
		switch n, err := io.ReadFull(b.from, one[:]); {
		case n > 0:
			return 0, &Error{Kind: form.TooLarge,
				Problem: fmt.Sprintf("the body is larger than %d bytes: send fewer runs at once", b.limit)}
		case errors.Is(err, io.EOF):
			return 0, io.EOF
		default:
			return 0, err
		}
	}
	n, err := b.from.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

func (b *bounded) Close() error { return b.from.Close() }

// ReadAll reads data that stays in memory. The error is an *Error.
func ReadAll(share *limits.Share, from io.Reader) ([]byte, error) {
	data, err := share.ReadAll(from)
	return data, unreadable("error reading the body", err)
}

// RunBounds are those of a run in JSON, and BatchBounds those of the body of POST /runs/batch.
var (
	RunBounds   = limits.JSON{Depth: limits.RefusedDepth, Values: limits.RunValues, Members: limits.RunMembers, Fields: limits.RunFields}
	BatchBounds = limits.JSON{
		Depth: limits.RefusedDepth, Values: limits.RunValues, Members: limits.RunMembers, Items: operations, Level: 2, Most: limits.Operations, Fields: limits.RunFields,
	}
	// partBounds are those of a part that isn't a run.
	partBounds = limits.JSON{Depth: limits.RefusedDepth, Values: limits.RunValues, Members: limits.RunMembers}
)

// operations is what there are limits.Operations of.
const operations = "posts, patches and feedback"

// TooMany refuses a request that would block all others that log runs.
func TooMany(what string, most int) *Error {
	return &Error{Kind: form.TooLarge, Problem: fmt.Sprintf("Request entity too large: "+
		"the request has more than %d %s: send fewer at once", most, what)}
}

// Take accounts for memory needed to process a body, unless the body exceeds its bounds. The error is an *Error.
func Take(share *limits.Share, n int64, bounds error) error {
	if bounds == nil {
		bounds = share.Take(n)
	}
	return unreadable("error reading the body", bounds)
}

// unreadable returns the error for a body that can't be read: it is too large, did not arrive, or isn't in its declared encoding.
func unreadable(doing string, err error) error {
	known, is := errors.AsType[*Error](err)
	tooMuch, _ := errors.AsType[*limits.TooMuchError](err)
	tooMany, _ := errors.AsType[*limits.TooManyError](err)
	switch {
	case err == nil:
		return nil
	case is:
		return known
	case tooMuch != nil && tooMuch.Together:
		return &Error{Kind: form.Busy, Problem: fmt.Sprintf("Service unavailable: "+
			"the runs being received take more than %d bytes in total: try again later", tooMuch.Bytes)}
	case tooMuch != nil:
		return &Error{Kind: form.TooLarge, Problem: fmt.Sprintf("Request entity too large: "+
			"the runs in one request take more than %d bytes: send fewer at once", tooMuch.Bytes)}
	case tooMany != nil:
		return TooMany(tooMany.What, tooMany.Most)
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		return unprocessable("%s: the zstd window is larger than %d bytes", doing, limits.ZstdWindow)
	default:
		return unprocessable("%s: %s", doing, err)
	}
}
