package rest

import (
	"net/http"
	"time"
)

// paceBytes is the size of the pieces of a response that a client must read in time.
const paceBytes = 64 << 10

// Pace lets a handler respond, and closes the connection if the client doesn't read a piece of the response in time: what it doesn't
// read stays in memory. The whole response may take as long as it likes.
func Pace(w http.ResponseWriter, each time.Duration, respond func(http.ResponseWriter)) {
	paced := &pacedWriter{ResponseWriter: w, connection: http.NewResponseController(w), each: each}
	paced.extend() // The deadline of the previous request on the connection may be over.
	respond(paced)
	paced.extend() // The rest is sent now.
}

// pacedWriter extends the deadline for each piece of a response.
type pacedWriter struct {
	http.ResponseWriter
	connection *http.ResponseController
	each       time.Duration
}

func (w *pacedWriter) extend() {
	_ = w.connection.SetWriteDeadline(time.Now().Add(w.each)) // In a test, there may be no connection.
}

// WriteHeader implements http.ResponseWriter.
func (w *pacedWriter) WriteHeader(status int) {
	w.extend()
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *pacedWriter) Write(p []byte) (n int, err error) {
	for {
		w.extend()
		written, err := w.ResponseWriter.Write(p[n:min(n+paceBytes, len(p))])
		if n += written; err != nil || n == len(p) {
			return n, err
		}
	}
}

// FlushError is called by http.ResponseController.
func (w *pacedWriter) FlushError() error {
	w.extend()
	return w.connection.Flush()
}

// Unwrap gives http.ResponseController access to the connection.
func (w *pacedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
