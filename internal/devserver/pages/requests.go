package pages

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// The services by which requests can be filtered, and the possible outcomes.
const (
	ofControlPlane = "control plane"
	ofTracing      = "tracing"
	answeredWell   = "succeeded"
	answeredBadly  = "failed"
)

func (s *Service) showRequests(c *rest.Call, frame web.Frame) (web.View, error) {
	query := c.Request.URL.Query()
	view := web.RequestsView{Frame: frame, DevAPI: s.devAPI, Filter: web.RequestFilter{
		AnswerFilter: answerFilter(c), Service: query.Get("service"), Services: []string{ofControlPlane, ofTracing},
	}}
	requests, err := s.rest.Requests.Of(c.Tx, c.WorkspaceID)
	if err != nil {
		return nil, err
	}
	requests = slices.DeleteFunc(requests, func(r rest.Request) bool {
		return !wanted(r, view.Filter.AnswerFilter) || view.Filter.Service != "" && view.Filter.Service != serviceOf(r)
	})
	slices.Reverse(requests)
	p, page := paged(c, frame.Paths().Requests())
	requests, view.Paging = window(p, store.Window(requests, page))
	view.Requests = form.Collect(requests, requestOf)
	if view.DevAPI {
		faults, err := s.rest.Faults.List(c.Tx, c.WorkspaceID)
		if err != nil {
			return nil, err
		}
		view.Faults = form.Collect(faults, faultOf)
	}
	return view, nil
}

// answerFilter reads the form above requests.
func answerFilter(c *rest.Call) web.AnswerFilter {
	query := c.Request.URL.Query()
	return web.AnswerFilter{Search: query.Get("q"), Outcome: query.Get("outcome"), Outcomes: []string{answeredWell, answeredBadly}}
}

func requestOf(r rest.Request) web.Request {
	return web.Request{
		ID: r.ID, Method: r.Method, Path: r.Path, Sent: cmp.Or(r.Sent, r.Path), Query: r.Query, Status: r.Status, Body: r.Body, Answer: r.Answer,
		Fault: r.Fault, Time: r.Time, Took: &r.Took, Service: serviceOf(r),
	}
}

func serviceOf(r rest.Request) string {
	if r.Tracing {
		return ofTracing
	}
	return ofControlPlane
}

// wanted reports whether a request is listed.
func wanted(r rest.Request, f web.AnswerFilter) bool {
	failed := r.Status == 0 || r.Status >= http.StatusBadRequest
	return strings.Contains(strings.ToLower(r.Method+" "+r.Path), strings.ToLower(strings.TrimSpace(f.Search))) && (f.Outcome == "" || (f.Outcome == answeredBadly) == failed)
}

func faultOf(f rest.Fault) web.Fault {
	return web.Fault{Match: f.Match, Rollout: f.Rollout != nil, Times: f.Times, Skip: f.Skip, Definition: web.Encode(f)}
}
