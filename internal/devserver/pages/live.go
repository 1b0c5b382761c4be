package pages

import (
	"errors"
	"hash/fnv"
	"io"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/session"
)

// livePart is the live part of a page.
type livePart struct {
	request *http.Request // What its page is asked for, and nothing about who asks.
	show    liveHandler
	// stored says that it depends only on stored data, and not on the time, and traced that it shows traced data.
	stored, traced bool
}

// liveHandler renders the live part of a page, and says whether it can still change.
type liveHandler func(c *rest.Call, frame web.Frame) (render rendering, ended bool, err error)

// newLivePart finds the live part of the page at an address.
func (s *Service) newLivePart(key feedKey) (livePart, error) {
	address, err := url.ParseRequestURI(key.id)
	if err != nil || address.Host != "" {
		return livePart{}, rest.PathNotServed()
	}
	part := livePart{request: &http.Request{Method: http.MethodGet, URL: address}}
	paths := key.frame.Paths()
	if address.Path == paths.Deployments() {
		part.show, part.stored = s.liveDeployments, true
		return part, nil
	}
	list, name := path.Split(address.Path)
	if _, err := uuid.Parse(name); err != nil {
		return livePart{}, rest.PathNotServed()
	}
	if owner, is := strings.CutSuffix(list, "/revisions/"); is {
		list, name = path.Split(owner)
		if _, err := uuid.Parse(name); err != nil || list != paths.Deployment("") {
			return livePart{}, rest.PathNotServed()
		}
		part.request.SetPathValue("deployment_id", name)
		part.request.SetPathValue("revision_id", path.Base(address.Path))
		part.show = s.liveRollout
		return part, nil
	}
	switch list {
	case paths.Deployment(""):
		part.request.SetPathValue("deployment_id", name)
		part.show = s.liveDeployment
	case paths.Project(""):
		part.request.SetPathValue("session_id", name)
		part.show, part.stored, part.traced = s.liveRuns, true, true
	case paths.Trace(""):
		part.request.SetPathValue("trace_id", name)
		part.show, part.stored, part.traced = s.liveTrace, true, true
	default:
		return livePart{}, rest.PathNotServed()
	}
	return part, nil
}

// live returns the live part of the page of a request, whose path identifies it. It is followed or static.
func live(c *rest.Call, frame web.Frame, path string, followed bool) web.Live {
	part := web.Live{ID: path}
	if query := c.Request.URL.Query().Encode(); query != "" {
		part.ID += "?" + query
	}
	if followed {
		part.EventsURL = frame.Paths().Events()
	}
	return part
}

func (s *Service) liveDeployments(c *rest.Call, frame web.Frame) (rendering, bool, error) {
	view, err := s.deploymentsView(c, frame)
	return func(pages *web.Pages, w io.Writer) error { return pages.DeploymentRows(w, view) }, false, err
}

func (s *Service) liveDeployment(c *rest.Call, frame web.Frame) (rendering, bool, error) {
	view, ended := web.TimelineView{Deleted: true}, true
	row, err := c.Tx.Deployment(c.WorkspaceID, c.Request.PathValue("deployment_id"))
	switch {
	case errors.Is(err, store.ErrNotFound):
		err = nil
	case err == nil:
		ended = !moving(row)
		view, err = s.timeline(c, frame, row)
	}
	return func(pages *web.Pages, w io.Writer) error { return pages.Timeline(w, frame, view) }, ended, err
}

func (s *Service) liveRuns(c *rest.Call, frame web.Frame) (rendering, bool, error) {
	var list web.RunList
	row, err := rest.Named(c, "session_id", session.Read)
	if err == nil {
		at := frame.Paths().Project(row.ID)
		chosen, _ := chosenRange(c, at)
		list, err = s.runList(c, frame, at, runsWithin(c, row, chosen), false)
	}
	return func(pages *web.Pages, w io.Writer) error { return pages.RunRows(w, frame, list) }, false, err
}

// versionOf returns a digest that identifies contents.
func versionOf(html []byte) string {
	sum := fnv.New64a()
	_, _ = sum.Write(html) // It never fails.
	return strconv.FormatUint(sum.Sum64(), 36)
}
