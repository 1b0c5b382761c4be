package rest

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
)

// Decoded returns a handler that gets the decoded body of its request.
func Decoded[T any](work func(*Call, T) (Answer, error)) Handler {
	return func(c *Call) (Answer, error) {
		request, err := DecodeBody[T](c)
		if err != nil {
			return Answer{}, err
		}
		return work(c, request)
	}
}

// DecodeBody decodes the body of a request, for handlers of endpoints only: the calls made by Do, Read and Owner have no body. The service
// treats a body with any other content type than JSON as one that isn't JSON, except for traced data and under /dev.
func DecodeBody[T any](c *Call) (T, error) {
	type decoded struct {
		request T
		unknown []string
	}
	contentType := c.Request.Header.Get("Content-Type")
	media, _, err := mime.ParseMediaType(contentType)
	isJSON := contentType == "" || err == nil && (media == "application/json" || strings.HasSuffix(media, "+json"))
	if e := c.exchange.endpoint; !isJSON && !e.Neutral && !e.Dev {
		var none T
		return none, form.Problem(form.Body(), "dict_type", "Input should be a valid dictionary: send it with Content-Type: application/json")
	}
	d, err := Ahead(c, func() (d decoded, err error) {
		d.request, d.unknown, err = form.DecodeKnown[T](c.Body, c.exchange.dialect)
		return d, err
	})
	c.exchange.names.members = d.unknown
	return d.request, err
}

// ExpectBody sets the deadline for the request's body to arrive.
func (s *Server) ExpectBody(w http.ResponseWriter, r *http.Request) {
	if s.BodyTime == 0 || r.ContentLength == 0 {
		return
	}
	connection := http.NewResponseController(w)
	if err := connection.SetReadDeadline(time.Now().Add(s.BodyTime)); err != nil {
		return // There is no connection, as in a test.
	}
	r.Body = &timedBody{ReadCloser: r.Body, arrived: func() { _ = connection.SetReadDeadline(time.Time{}) }}
}

// timedBody is a body whose deadline is removed at its end.
type timedBody struct {
	io.ReadCloser
	arrived func()
}

func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		b.arrived()
	}
	return n, err
}

// values bounds the bodies of all requests that don't log runs.
var values = limits.JSON{Depth: api.MaxDepth, Values: limits.Values}

func readBody(w http.ResponseWriter, r *http.Request, share *limits.Share) ([]byte, error) {
	body, err := share.ReadAll(values.Reader(http.MaxBytesReader(w, r.Body, limits.Body)))
	if tooMany, is := errors.AsType[*limits.TooManyError](err); is {
		return nil, form.Refuse(form.TooLarge, "The request body has %s.", tooMany)
	}
	if tooDeep, is := errors.AsType[*limits.TooDeepError](err); is {
		return nil, form.NotJSON(tooDeep)
	}
	if tooMuch, is := errors.AsType[*limits.TooMuchError](err); is {
		return nil, form.Refuse(form.Busy, "The requests in progress have more than %d bytes in total.  "+
			"Try again later.", tooMuch.Bytes)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, form.Refuse(form.TooLate, "The request body did not arrive within %s.", limits.BodyTime)
	}
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return nil, form.Refuse(form.TooLarge, "The request body is larger than %d bytes.", limits.Body)
	}
	if err != nil {
		return nil, form.Broken("There was an error reading the body: %s", err)
	}
	return body, nil
}
