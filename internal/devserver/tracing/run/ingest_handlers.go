package run

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	collector "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	"google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/ingest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/otlp"
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
		s.Logged(rest.LoggedRuns, 0, len(request.Operations))
		// What can't be discarded now is deleted after limits.AttachmentTime.
		return rest.Answer{}, errors.Join(refused(err), sink.discard(r.Context()))
	}
	s.Logged(rest.LoggedRuns, len(request.Operations), 0)
	return ingested(message), nil
}

// refused returns the answer to an invalid request. Other errors are unchanged.
func refused(err error) error {
	known, is := errors.AsType[*form.Error](err)
	if !is {
		return err
	}
	return &rest.Error{Answer: rest.Refusal(known.Kind, runsError{Error: known.Error()})}
}

// runsError is the error format of the service's ingestion endpoints.
type runsError struct {
	Error string `json:"error"`
}

// OTLPEndpoints are the paths to which OpenTelemetry exporters send spans: the service's own path, and the standard one.
// One client omits the end of the path. Programs send logs and metrics beside them unless they are told not to.
func (s *Service) OTLPEndpoints() []rest.Endpoint {
	at := func(path string, post func(*http.Request, string) (rest.Answer, error)) rest.Endpoint {
		return rest.Endpoint{Path: path, Refusal: refuseExport, Streams: rest.Streams{http.MethodPost: post}}
	}
	own := []rest.Endpoint{at("/otel", s.ingestSpans), at("/otel/v1/traces", s.ingestSpans)}
	standard := []rest.Endpoint{at("/traces", s.ingestSpans)}
	for _, signal := range []string{"/logs", "/metrics"} {
		own, standard = append(own, at("/otel/v1"+signal, refuseSignal)), append(standard, at(signal, refuseSignal))
	}
	return append(rest.Below(own, "", "/v1", "/api", "/api/v1"), rest.Below(standard, "/v1", "/api/v1")...)
}

func refuseSignal(*http.Request, string) (rest.Answer, error) {
	return rest.Answer{}, form.Missing("This service receives only traces. Set OTEL_LOGS_EXPORTER and OTEL_METRICS_EXPORTER to none.")
}

// ingestSpans stores the spans of an export request as runs. Unlike a request with runs, it may succeed partially: an
// invalid span should not lose the others, which no exporter would send again.
func (s *Service) ingestSpans(r *http.Request, workspaceID string) (rest.Answer, error) {
	if err := s.checkSpace(r.Context(), workspaceID); err != nil {
		return rest.Answer{}, refusedExport(err)
	}
	share := s.memory.Share(workspaceID, limits.Runs)
	defer share.Release()
	runs, rejected, err := readSpans(r, share)
	if err != nil {
		return rest.Answer{}, refusedExport(err)
	}
	sink := &attachmentSink{service: s, workspaceID: workspaceID}
	files, err := keepFiles(r.Context(), sink, runs)
	var refused []error
	if err == nil {
		refused, err = s.logSpans(r.Context(), workspaceID, otlp.ParentsFirst(runs), files)
	}
	if err != nil {
		s.Logged(rest.LoggedSpans, 0, len(runs)+len(rejected))
		// What can't be discarded now is deleted after limits.AttachmentTime.
		return rest.Answer{}, errors.Join(refusedExport(err), sink.discard(r.Context()))
	}
	s.Logged(rest.LoggedSpans, len(runs)-len(refused), len(rejected)+len(refused))
	return exported(r, append(rejected, refused...))
}

// spansTogether is how many spans a transaction stores. Others can write before the next ones.
const spansTogether = 100

// logSpans stores spans, whose parents come first, and returns which are rejected, and why. After an error, some of them are stored: the
// exporter sends all of them again, which changes nothing about those.
func (s *Service) logSpans(ctx context.Context, workspaceID string, runs []otlp.Run, files map[string][]ingest.Attachment) (refused []error, _ error) {
	for some := range slices.Chunk(runs, spansTogether) {
		var rejected []error
		next := partOf(some)
		next.work = func(d *draft) (err error) {
			rejected, err = d.storeSpans(some, files)
			return err
		}
		err := s.transact(ctx, workspaceID, next)
		if err != nil {
			return nil, err
		}
		refused = append(refused, rejected...)
	}
	return refused, nil
}

// readSpans decodes a request, and returns the spans that can't become runs as rejections.
func readSpans(r *http.Request, share *limits.Share) (runs []otlp.Run, rejected []error, err error) {
	encoding, known := otlp.EncodingOf(r.Header.Get("Content-Type"))
	if !known {
		return nil, nil, form.Refuse(form.Unsupported, "Content-Type %q is not supported: send %s or %s", r.Header.Get("Content-Type"), otlp.Protobuf, otlp.JSON)
	}
	body, err := ingest.Body(r.Header.Get("Content-Encoding"), r.Body, limits.Runs)
	if err != nil {
		return nil, nil, err
	}
	defer body.Close()
	data, err := ingest.ReadAll(share, body)
	if err != nil {
		return nil, nil, err
	}
	size, exceeded := encoding.DecodedSize(data)
	if err := ingest.Take(share, size, exceeded); err != nil {
		return nil, nil, err
	}
	request, err := encoding.Decode(data)
	if err != nil {
		return nil, nil, form.Broken("the body is not an export request in %s: %s", encoding, err)
	}
	runs, rejected = otlp.Runs(request, r.Header.Get("Langsmith-Project"))
	files := 0
	for _, run := range runs {
		files += len(run.Attachments)
	}
	if files > limits.Attachments {
		return nil, nil, ingest.TooMany("attachments", limits.Attachments)
	}
	return runs, rejected, nil
}

// exportKinds are the kinds of refusals that have another status in OTLP: undecodable requests are bad requests, and exporters
// don't send again after 408.
var exportKinds = map[form.Kind]form.Kind{form.Unprocessable: form.BadRequest, form.TooLate: form.Busy}

// refusedExport is refused with the statuses of OTLP.
func refusedExport(err error) error {
	if known, is := errors.AsType[*form.Error](err); is {
		err = form.Refuse(cmp.Or(exportKinds[known.Kind], known.Kind), "%s", known)
	}
	return refused(err)
}

// exported is the response to a request whose spans are stored, except for rejected ones.
func exported(r *http.Request, rejected []error) (rest.Answer, error) {
	var response collector.ExportTraceServiceResponse
	if len(rejected) > 0 {
		reasons := form.Collect(rejected[:min(len(rejected), limits.RejectionReasons)], error.Error)
		if more := len(rejected) - len(reasons); more > 0 {
			reasons = append(reasons, fmt.Sprintf("and %d more", more))
		}
		response.PartialSuccess = &collector.ExportTracePartialSuccess{
			RejectedSpans: int64(len(rejected)), ErrorMessage: strings.Join(reasons, "; "),
		}
	}
	return protobuf(r, rest.Answer{Status: http.StatusOK}, &response)
}

// refuseExport converts any error answer to the form that exporters expect.
func refuseExport(r *http.Request, a rest.Answer) (rest.Answer, error) {
	text, err := json.Marshal(a.Body)
	if err != nil {
		return a, err
	}
	var said struct{ Detail, Error string }
	if json.Unmarshal(text, &said) == nil && said.Detail+said.Error != "" {
		text = []byte(said.Detail + said.Error)
	}
	return protobuf(r, a, &status.Status{Message: string(text)})
}

// protobuf encodes a response body like the request.
func protobuf(r *http.Request, a rest.Answer, message proto.Message) (rest.Answer, error) {
	encoding, known := otlp.EncodingOf(r.Header.Get("Content-Type"))
	if !known {
		encoding = otlp.JSON
	}
	text, err := encoding.Encode(message)
	header := a.Header.Clone()
	if header == nil {
		header = http.Header{}
	}
	header.Set("Content-Type", string(encoding))
	return rest.Answer{Status: a.Status, Header: header, Body: rawBody(text)}, err
}

// rawBody is an encoded body.
type rawBody []byte

// Send writes the body.
func (b rawBody) Send(w io.Writer) error {
	_, err := w.Write(b)
	return err
}
