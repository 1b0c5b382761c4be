package ingest

import (
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// maxWindow bounds what a zstd stream may make the decoder remember.
const maxWindow = 32 << 20

// Body undoes the compression of a request, as its Content-Encoding says, and bounds what comes out: a small request can
// hold a lot. Reading past limit bytes is an *Error with status 413.
func Body(encoding string, body io.Reader, limit int64) (io.ReadCloser, error) {
	switch encoding {
	case "", "identity":
		return &bounded{from: io.NopCloser(body), left: limit, limit: limit}, nil
	case "gzip", "x-gzip":
		plain, err := gzip.NewReader(body)
		if err != nil {
			return nil, unprocessable("the body is not gzip, as its Content-Encoding says: %s", err)
		}
		return &bounded{from: plain, left: limit, limit: limit}, nil
	case "zstd":
		plain, err := zstd.NewReader(body, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, unprocessable("the body is not zstd, as its Content-Encoding says: %s", err)
		}
		return &bounded{from: plain.IOReadCloser(), left: limit, limit: limit}, nil
	default:
		return nil, &Error{
			Status:  http.StatusUnsupportedMediaType,
			Problem: fmt.Sprintf("Content-Encoding %q is not supported: send gzip, zstd or none", encoding),
		}
	}
}

// bounded reads until its limit, and then fails.
type bounded struct {
	from        io.ReadCloser
	left, limit int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		// Only a byte more is too much.
		var one [1]byte
		switch n, err := io.ReadFull(b.from, one[:]); {
		case n > 0:
			return 0, &Error{Status: http.StatusRequestEntityTooLarge,
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
