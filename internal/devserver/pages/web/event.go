package web

import (
	"bytes"
	"fmt"
	"io"
	"time"
)

// Live is a part of a page that is kept up to date.
type Live struct {
	// EventsURL is the path that sends the part again whenever it changes, as server-sent events. If it is empty, the part
	// is static.
	EventsURL string
	// ID is the path and query of the page: the parameter that requests the events of the part, and their name.
	ID string
}

// LiveParameter is the name of that parameter.
const LiveParameter = "part"

// EndEvent is the name of the event after which there are no more events for the part that it names. After the last one,
// the connection is closed permanently, without the browser's usual reconnect.
const EndEvent = "end"

// WriteRetry tells browsers how long to wait before they connect again.
func WriteRetry(w io.Writer, wait time.Duration) error {
	_, err := fmt.Fprintf(w, "retry: %d\n\n", wait.Milliseconds())
	return err
}

// WriteComment writes something that browsers ignore, so that an idle connection isn't considered dead.
func WriteComment(w io.Writer) error {
	_, err := io.WriteString(w, ":\n\n")
	return err
}

// WriteEvent writes a server-sent event, for a response of type text/event-stream. An event with the name of a part
// contains the HTML that replaces the part. The cursor identifies the browser's resulting state; the browser sends it as
// Last-Event-ID when it reconnects.
func WriteEvent(w io.Writer, cursor, name string, html []byte) error {
	var b bytes.Buffer
	if cursor != "" {
		b.WriteString("id: " + cursor + "\n")
	}
	if name != "" {
		b.WriteString("event: " + name + "\n")
	}
	// A carriage return also ends a line of an event.
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
