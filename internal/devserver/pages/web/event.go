package web

import (
	"bytes"
	"fmt"
	"io"
	"time"
)

// Live is a part of a page that is kept up to date.
type Live struct {
	// EventsURL is the path that sends the part anew whenever it changes, as server-sent events. Empty leaves the part as it is:
	// nothing moves in it.
	EventsURL string
	// ID is the address of the page, without the host: the parameter that asks for the events of the part, and their name.
	ID string
}

// LiveParameter is the name of the parameter.
const LiveParameter = "part"

// EndEvent is the name of the event after which nothing more comes about the part that it carries the name of. After the last
// one, the connection is closed for good, where a browser would connect again.
const EndEvent = "end"

// WriteRetry tells browsers how long to wait before they connect again.
func WriteRetry(w io.Writer, wait time.Duration) error {
	_, err := fmt.Fprintf(w, "retry: %d\n\n", wait.Milliseconds())
	return err
}

// WriteComment writes what browsers ignore, so that a connection on which nothing happens isn't taken for a dead one.
func WriteComment(w io.Writer) error {
	_, err := io.WriteString(w, ":\n\n")
	return err
}

// WriteEvent writes a server-sent event, to be sent as text/event-stream. An event with the name of a part carries HTML that takes
// the place of the part. The cursor says what a browser has then; it sends it as Last-Event-ID when it connects again.
func WriteEvent(w io.Writer, cursor, name string, html []byte) error {
	var b bytes.Buffer
	if cursor != "" {
		b.WriteString("id: " + cursor + "\n")
	}
	if name != "" {
		b.WriteString("event: " + name + "\n")
	}
	// A carriage return ends a line of an event as well.
	html = bytes.ReplaceAll(html, []byte("\r\n"), []byte("\n"))
	html = bytes.ReplaceAll(html, []byte("\r"), []byte("\n"))
	for line := range bytes.SplitSeq(html, []byte("\n")) {
		b.WriteString("data: ")
		b.Write(line)
		b.WriteString("\n")
	}
	b.WriteString("\n")
	_, err := b.WriteTo(w)
	return err
}
