package rest

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"math"
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
)

// Answer is the result of a handler: a status and a body, which may be nil.
type Answer struct {
	Status int
	Body   any
	Header http.Header
}

// OK is an answer with status 200 and a body.
func OK(body any) Answer { return Answer{Status: http.StatusOK, Body: body} }

// Created is an answer with status 201 and a body.
func Created(body any) Answer { return Answer{Status: http.StatusCreated, Body: body} }

// NoContent is an answer with status 204.
func NoContent() Answer { return Answer{Status: http.StatusNoContent} }

// with returns the answer with another body, which is sent unchanged.
func (a Answer) with(body string) Answer {
	if a.Status == http.StatusNoContent && body != "" {
		a.Status = http.StatusOK
	}
	a.Body = encodedBody{[]byte(body)}
	return a.ofType("application/json")
}

// ofType returns the answer with a header that says the type of its body.
func (a Answer) ofType(contentType string) Answer {
	a.Header = maps.Clone(a.Header)
	if a.Header == nil {
		a.Header = http.Header{}
	}
	a.Header.Set("Content-Type", contentType)
	return a
}

// encoded returns the answer with its body as it is sent, unless it is read while it is sent.
func (a Answer) encoded(dialect *api.Dialect) (Answer, error) {
	switch body := a.Body.(type) {
	case Values:
		var out bytes.Buffer
		err := body.Send(&out)
		a.Body = encodedBody{out.Bytes()}
		return a, err
	case HTML:
		a.Body = encodedBody{[]byte(body)}
		return a.ofType("text/html; charset=utf-8"), nil
	case nil, Content, encodedBody:
		return a, nil
	}
	body, err := encode(a.Body, dialect)
	if err == nil && dialect != api.Neutral {
		body = encodedBody{dialect.Body(body.joined())}
	}
	a.Body = body
	return a.ofType("application/json"), err
}

// size is the number of bytes that the encoded answer takes in memory.
func (a Answer) size() int {
	body, _ := a.Body.(encodedBody) // Content is read while it is sent.
	return body.size()
}

// smallAnswer is the size in bytes of answers that don't count: connections take more, and the control plane's answers should never be
// refused.
const smallAnswer = 64 << 10

// Hold accounts for a response to a workspace until the result is called. Clients decide how long it stays in memory.
func (s *Server) Hold(workspaceID string, size int) (release func(), err error) {
	if size <= smallAnswer {
		return func() {}, nil
	}
	share := s.Memory.Share(workspaceID, math.MaxInt64)
	if tooMuch, is := errors.AsType[*limits.TooMuchError](share.Take(int64(size))); is {
		return func() {}, form.Refuse(form.Busy, "The responses in progress have more than %d bytes in total. Try again later.", tooMuch.Bytes)
	}
	return share.Release, nil
}

// write sends the answer in a dialect's terms. A write error means that the client is gone, which changes nothing here.
func (a Answer) write(w http.ResponseWriter, dialect *api.Dialect) error {
	a, err := a.encoded(dialect)
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return err
	}
	maps.Copy(w.Header(), a.Header)
	w.WriteHeader(a.Status)
	switch body := a.Body.(type) {
	case encodedBody:
		for _, piece := range body {
			if _, err := w.Write(piece); err != nil {
				return err
			}
		}
	case Content:
		return body.Send(w)
	}
	return nil
}

// Content is a body that is sent piece by piece, with the content type from the header.
type Content interface{ Send(w io.Writer) error }

// Values are Content of values that are in memory anyway: it is written before it is sent, so that it counts like JSON.
type Values struct{ Content }

// HTML is a body in HTML, as a load balancer in front of the service would send it.
type HTML string
