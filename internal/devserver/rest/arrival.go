package rest

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
)

// LevelAccess is the level of the one record that each request has in the log.
const LevelAccess = slog.LevelInfo - 2

// Arrival describes a request before it is routed, and what is learned about it on the way to its answer.
type Arrival struct {
	// ID is in the header X-Request-Id of the answer, and in all records of the request.
	ID string
	// Scheme is that of the URL with which the client has sent the request, perhaps to a proxy. Host is the header Host of the request that
	// arrived here; that of the client's is in the request.
	Scheme, Host string
	// Pattern is that of the route, and WorkspaceID the workspace; both are empty as long as they are not known.
	Pattern, WorkspaceID string
	// Refused is why the request was refused, in a word; empty if it wasn't.
	Refused string
	// Status is that of the answer; zero if the connection was closed without one. Sent is the number of bytes of its body.
	Status int
	Sent   int64
	// Took is how long the request took.
	Took time.Duration
}

type arrivalKey struct{}

// ArrivalOf returns the arrival of a request by its context. Outside of requests, it returns a new one.
func ArrivalOf(ctx context.Context) *Arrival {
	if a, is := ctx.Value(arrivalKey{}).(*Arrival); is {
		return a
	}
	return &Arrival{Scheme: "http"}
}

// Arrive calls a handler, and then done with the arrival, even if the handler aborts the connection. Both get the request as its client
// sent it to the first trusted proxy. The connection is closed if the client doesn't read a piece of the response within limits.WriteTime:
// what it doesn't read stays in memory. The whole response may take as long as it likes.
func Arrive(w http.ResponseWriter, r *http.Request, proxies Proxies, handle http.HandlerFunc, done func(*http.Request, *Arrival)) {
	began, a := time.Now(), &Arrival{ID: uuid.NewString(), Scheme: "http", Host: r.Host}
	if r.TLS != nil {
		a.Scheme = "https"
	}
	r = r.WithContext(context.WithValue(r.Context(), arrivalKey{}, a))
	proxies.follow(r, a)
	w.Header().Set("X-Request-Id", a.ID)
	writer := &arrivalWriter{w, http.NewResponseController(w), a}
	writer.extend() // The deadline of the previous request on the connection may be over.
	defer func() {
		a.Took = time.Since(began)
		done(r, a)
		writer.extend() // The rest is sent now.
	}()
	handle(writer, r)
}

// paceBytes is the size of the pieces of a response that a client must read in time.
const paceBytes = 64 << 10

// arrivalWriter records the status and the size of the answer, and extends the deadline for each piece of it.
type arrivalWriter struct {
	http.ResponseWriter
	connection *http.ResponseController
	of         *Arrival
}

func (w *arrivalWriter) extend() {
	_ = w.connection.SetWriteDeadline(time.Now().Add(limits.WriteTime)) // In a test, there may be no connection.
}

// WriteHeader implements http.ResponseWriter.
func (w *arrivalWriter) WriteHeader(status int) {
	if w.of.Status == 0 {
		w.of.Status = status
	}
	w.extend()
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *arrivalWriter) Write(p []byte) (n int, err error) {
	if w.of.Status == 0 {
		w.of.Status = http.StatusOK
	}
	for {
		w.extend()
		written, err := w.ResponseWriter.Write(p[n:min(n+paceBytes, len(p))])
		w.of.Sent += int64(written)
		if n += written; err != nil || n == len(p) {
			return n, err
		}
	}
}

// FlushError is called by http.ResponseController.
func (w *arrivalWriter) FlushError() error {
	w.extend()
	return w.connection.Flush()
}

// Unwrap gives http.ResponseController access to the connection.
func (w *arrivalWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Identified returns a handler that adds the ID of a request to each record that is logged with its context.
func Identified(to slog.Handler) slog.Handler { return identified{to} }

type identified struct{ slog.Handler }

// Handle implements slog.Handler.
func (h identified) Handle(ctx context.Context, record slog.Record) error {
	if a, is := ctx.Value(arrivalKey{}).(*Arrival); is {
		record = record.Clone()
		record.AddAttrs(slog.String("request_id", a.ID))
	}
	return h.Handler.Handle(ctx, record)
}

// WithAttrs implements slog.Handler.
func (h identified) WithAttrs(attrs []slog.Attr) slog.Handler {
	return identified{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h identified) WithGroup(name string) slog.Handler { return identified{h.Handler.WithGroup(name)} }
