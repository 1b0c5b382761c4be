package run

import (
	"errors"
	"io"
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/ingest"
)

// ingested is the response to a request that logs runs. The status is 202, because the service processes runs later; here,
// they are durable and can be read at once.
func ingested(message string) rest.Answer {
	return rest.Answer{Status: http.StatusAccepted, Body: map[string]string{"message": message}}
}

func (s *Service) ingestRun(r *http.Request, workspaceID string) (rest.Answer, error) {
	return s.ingest(r, workspaceID, "Run created", single(ingest.Post))
}

func (s *Service) ingestPatch(r *http.Request, workspaceID string) (rest.Answer, error) {
	return s.ingest(r, workspaceID, "Run updated", single(ingest.Patch))
}

func (s *Service) ingestBatch(r *http.Request, workspaceID string) (rest.Answer, error) {
	return s.ingest(r, workspaceID, "Runs batch ingested", func(_ *http.Request, body io.Reader, share *limits.Share, _ ingest.Sink) (ingest.Request, error) {
		data, err := ingest.ReadAll(share, ingest.BatchBounds.Reader(body))
		if err != nil {
			return ingest.Request{}, err
		}
		operations, err := ingest.Batch(data)
		return ingest.Request{Operations: operations}, err
	})
}

func (s *Service) ingestMultipart(r *http.Request, workspaceID string) (rest.Answer, error) {
	return s.ingest(r, workspaceID, "Runs batch ingested", func(r *http.Request, body io.Reader, share *limits.Share, sink ingest.Sink) (ingest.Request, error) {
		return ingest.Multipart(r.Context(), r.Header.Get("Content-Type"), body, share, sink)
	})
}

// reader decodes a request from its decompressed body.
type reader func(r *http.Request, body io.Reader, share *limits.Share, sink ingest.Sink) (ingest.Request, error)

// single reads one run. The ID of a patch is in the path.
func single(kind ingest.Kind) reader {
	return func(r *http.Request, body io.Reader, share *limits.Share, _ ingest.Sink) (ingest.Request, error) {
		data, err := ingest.ReadAll(share, ingest.RunBounds.Reader(body))
		if err != nil {
			return ingest.Request{}, err
		}
		operation, err := ingest.Single(kind, r.PathValue("run_id"), data)
		return ingest.Request{Operations: []ingest.Operation{operation}}, err
	}
}

// ingest stores what a request logs, and answers when it is durable. One invalid run makes it refuse the request, like the service.
func (s *Service) ingest(r *http.Request, workspaceID, message string, read reader) (rest.Answer, error) {
	if err := s.checkSpace(r.Context(), workspaceID); err != nil {
		return rest.Answer{}, refused(err)
	}
	share := s.memory.Share(workspaceID, limits.Runs)
	defer share.Release()
	body, err := ingest.Body(r.Header.Get("Content-Encoding"), r.Body, limits.Upload)
	if err != nil {
		return rest.Answer{}, refused(err)
	}
	defer body.Close()
	sink := &attachmentSink{service: s, workspaceID: workspaceID}
	request, err := read(r, body, share, sink)
	if err == nil {
		err = s.log(r.Context(), workspaceID, request)
	}
	if err != nil {
		s.Logged(Runs, 0, len(request.Operations))
		// What can't be discarded now is deleted after limits.AttachmentTime.
		return rest.Answer{}, errors.Join(refused(err), sink.discard(r.Context()))
	}
	s.Logged(Runs, len(request.Operations), 0)
	return ingested(message), nil
}

// refused returns the answer to an invalid request. Other errors are unchanged.
func refused(err error) error {
	known, is := errors.AsType[*ingest.Error](err)
	if !is {
		return err
	}
	return &rest.Error{Answer: rest.Refusal(known.Kind, runsError{Error: form.ShortenedText(known.Problem)})}
}

// runsError is the error format of the service's ingestion endpoints.
type runsError struct {
	Error string `json:"error"`
}
