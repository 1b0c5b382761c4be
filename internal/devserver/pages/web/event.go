package web

import (
	"bytes"
	"io"
)

// EndEvent is the name of the event after which nothing more comes about the deployment whose id it carries. After the last
// one, the connection is closed for good, where a browser would connect again.
const EndEvent = "end"

// WriteEvent writes a server-sent event, to be sent as text/event-stream. An event whose name is the id of a deployment carries
// HTML that takes the place of the part of its page that is live.
func WriteEvent(w io.Writer, name string, html []byte) error {
	var b bytes.Buffer
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
