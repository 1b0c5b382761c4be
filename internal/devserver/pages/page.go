package pages

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/authservice"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/controlplane"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing"
)

// Pages are below pagesBase, because the paths of the API are taken: those of the implied workspace directly, and those of
// each workspace below workspaceBase.
const (
	pagesBase     = "/ui"
	workspaceBase = pagesBase + "/workspaces/{workspace_id}"
)

// Home is what people type to get to the pages.
const Home = pagesBase + "/"

// Service serves the pages.
type Service struct {
	rest    *rest.Server
	control *controlplane.Service
	tracing *tracing.Service
	auth    *authservice.Service
	devAPI  bool
	web     *web.Pages
	// started identifies the process: another one numbers what it stores anew.
	started  string
	attempts []attempt // Those of the package, but for tests.
}

// New returns the pages of a server. With devAPI, they show the armed faults.
func New(server *rest.Server, control *controlplane.Service, traced *tracing.Service, auth *authservice.Service, devAPI bool) (*Service, error) {
	pages, err := web.New()
	if err != nil {
		return nil, err
	}
	return &Service{rest: server, control: control, tracing: traced, auth: auth, devAPI: devAPI, web: pages, started: rand.Text(), attempts: attempts}, nil
}

// pageHandler builds a page.
type pageHandler func(c *rest.Call, frame web.Frame) (web.View, error)

// Routes serves the pages. They are read-only and therefore support only GET, except for logins, redeployments, shares and saved views.
func (s *Service) Routes(mux interface {
	Handle(pattern string, handler http.Handler)
	HandleFunc(pattern string, handler func(http.ResponseWriter, *http.Request))
}) {
	control, traced := s.rest.Read, s.rest.ReadTraced
	get := func(path string, read reader, show pageHandler) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) { s.page(w, r, read, show) })
	}
	live := func(path string, read reader, show pageHandler) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) { s.page(w, r, s.unlessSeen(w, r, read), show) })
	}
	for _, base := range []string{pagesBase, workspaceBase} {
		p := web.Paths{Base: base}
		live(p.Deployments(), control, s.showDeployments)
		get(p.Deployment("{deployment_id}"), control, s.showDeployment)
		get(p.Rollout("{deployment_id}", "{revision_id}"), traced, s.showRollout)
		get(p.Logs("{deployment_id}", "{revision_id}"), control, s.showLogs)
		get(p.Settings(), control, s.showSettings)
		get(p.Listeners(), control, s.showListeners)
		get(p.Integrations(), control, s.showIntegrations)
		get(p.OAuth(), control, s.showOAuth)
		get(p.Requests(), control, s.showRequests)
		get(p.Projects(), traced, s.showProjects)
		live(p.Project("{session_id}"), traced, s.showProject)
		get(p.Threads("{session_id}"), traced, s.showThreads)
		get(p.Feedback("{session_id}"), traced, s.showFeedback)
		live(p.Trace("{trace_id}"), traced, s.showTrace)
		get(p.Run("{run_id}"), traced, s.showRun)
		get(p.Messages("{run_id}"), traced, s.showMessage)
		get(p.Test("{run_id}"), traced, s.showTest)
		get(p.Shares(), traced, s.showShares)
		get(p.Datasets(), traced, s.showDatasets)
		get(p.Dataset("{dataset_id}"), traced, s.showDataset)
		get(p.Prices(), traced, s.showPrices)
		get(p.Space(), traced, s.showSpace)
		mux.HandleFunc("GET "+p.Figures("{session_id}"), s.withFigures(showFigures))
		mux.HandleFunc("GET "+p.Comparison(), func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Has(comparedProject) {
				s.withFigures(compareGroups)(w, r)
				return
			}
			s.page(w, r, traced, s.showComparison)
		})
		mux.HandleFunc("GET "+p.RawRun("{run_id}"), s.rawRun)
		for path, of := range exports(p) {
			mux.HandleFunc("GET "+web.ExportOf(path), func(w http.ResponseWriter, r *http.Request) { s.export(w, r, of()) })
		}
		mux.HandleFunc("POST "+p.Views("{session_id}"), s.posted("A view can't be saved", changeViews))
		mux.HandleFunc("POST "+p.Share("{run_id}"), s.posted("A run can't be shared", shareRun))
		mux.HandleFunc("POST "+p.ShareThread("{session_id}"), s.posted("A thread can't be shared", shareThread))
		mux.HandleFunc("POST "+p.Connect("{provider_id}"), s.connect)
		mux.HandleFunc("POST "+p.Redeploy("{deployment_id}", "{revision_id}"), s.posted("A rollout can't be started", s.redeploy))
		mux.Handle("GET "+base+"/assets/", web.Assets())
		mux.HandleFunc("GET "+base, func(w http.ResponseWriter, r *http.Request) {
			here := web.Paths{Base: strings.Replace(base, "{workspace_id}", url.PathEscape(r.PathValue("workspace_id")), 1)}
			http.Redirect(w, r, here.Deployments(), http.StatusFound)
		})
	}
	// Clients build URLs of projects, runs, shared runs, experiments and deployments in the service's form.
	get("/o/{workspace_id}/datasets/{dataset_id}", traced, s.showDataset)
	get("/o/{workspace_id}/datasets/{dataset_id}/compare", traced, s.showDataset)
	get("/o/{workspace_id}/projects/p/{session_id}", traced, s.showProject)
	get("/o/{workspace_id}/projects/p/{session_id}/r/{run_id}", traced, s.showRun)
	get("/o/{workspace_id}/host/deployments/{deployment_id}", control, s.showDeployment)
	mux.HandleFunc("GET "+web.Paths{}.Shared("{share_token}"), s.shared(runOwner, s.showSharedRun))
	mux.HandleFunc("GET "+web.Paths{}.SharedThread("{share_token}"), s.shared(threadOwner, s.showSharedThread))
	live("/{$}", control, s.showDeployments)
	mux.Handle("GET "+Home+"{$}", http.RedirectHandler(web.Paths{Base: pagesBase}.Deployments(), http.StatusFound))
	get(Home, control, func(*rest.Call, web.Frame) (web.View, error) { return nil, rest.PathNotServed() })
}

// follows reports whether a request comes from an open page that keeps itself up to date.
func follows(r *http.Request) bool { return r.Header.Get(web.FollowHeader) != "" }

func addressOf(c *rest.Call, path string) web.Address {
	return web.Address{Path: path, Query: c.Request.URL.Query()}
}

// errSeen says that a page hasn't changed since its browser got it.
var errSeen = errors.New("the page has not changed")

// unlessSeen is a reader for pages that show only stored data. A page that keeps itself up to date is sent again only after something was
// stored: a page costs little while it is open and nothing happens.
func (s *Service) unlessSeen(w http.ResponseWriter, r *http.Request, read reader) reader {
	if !follows(r) {
		return read
	}
	return func(ctx context.Context, workspaceID string, work func(*rest.Call) error) error {
		return read(ctx, workspaceID, func(c *rest.Call) error {
			tag := fmt.Sprintf(`W/"%s-%d"`, s.started, c.Tx.Snapshot())
			w.Header().Set("ETag", tag)
			if r.Header.Get("If-None-Match") == tag {
				return errSeen
			}
			return work(c)
		})
	}
}

// page responds with a page, which may be an error page.
func (s *Service) page(w http.ResponseWriter, r *http.Request, read reader, show pageHandler) {
	frame, workspaceID, err := s.frame(r)
	if choice := s.workspaces(r); choice != nil && r.PathValue("workspace_id") == "" {
		if err := s.wanted(w, r)(w, web.WorkspacesView{Frame: frame, Workspaces: choice}); err != nil {
			s.rest.Logger.ErrorContext(r.Context(), "page failed", "error", err)
		}
		return
	}
	s.show(w, r, frame, workspaceID, err, read, show)
}

// show responds with a page in a workspace, or with an error page for err.
func (s *Service) show(
	w http.ResponseWriter, r *http.Request, frame web.Frame, workspaceID string, err error, read reader, show pageHandler,
) {
	var page bytes.Buffer
	release := func() {}
	if err == nil {
		// As long reads are few, so are large pages that aren't accounted for.
		err = s.look(r, workspaceID, read, func(c *rest.Call) error {
			view, err := show(c, frame)
			if err == nil {
				err = s.wanted(w, r)(&page, view)
			}
			if err == nil {
				release, err = s.rest.Hold(workspaceID, page.Len())
			}
			return err
		})
	}
	defer func() { release() }()
	if errors.Is(err, errSeen) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if err != nil {
		s.errorPage(w, r, frame, err)
		return
	}
	send(w, r, page.Bytes())
}

// wanted returns what writes a page in the format that a request wants, and sets the header accordingly.
func (s *Service) wanted(w http.ResponseWriter, r *http.Request) func(w io.Writer, v web.View) error {
	if wantsJSON(r) {
		web.SetJSONHeaders(w.Header())
		return web.WriteJSON
	}
	web.SetHeaders(w.Header())
	return s.web.Write
}

// reader is one of rest.Server's transactions that read.
type reader func(ctx context.Context, workspaceID string, work func(*rest.Call) error) error

// look is a transaction for a page.
func (s *Service) look(r *http.Request, workspaceID string, read reader, work func(*rest.Call) error) error {
	return read(r.Context(), workspaceID, func(c *rest.Call) error {
		c.Request, c.UserID = r, s.user(r)
		return work(c)
	})
}

func (s *Service) errorPage(w http.ResponseWriter, r *http.Request, frame web.Frame, err error) {
	rest.ArrivalOf(r.Context()).Refused = rest.Reason(err)
	answer := rest.AnswerTo(err, s.rest.Dialect)
	view := web.ErrorView{Frame: frame, Status: answer.Status, RequestID: rest.ArrivalOf(r.Context()).ID}
	if view.Status == http.StatusUnprocessableEntity { // An ID in the path is invalid.
		view.Status = http.StatusNotFound
	}
	view.Message = fmt.Sprintf("The server answered this request with status %d.", view.Status)
	if view.Status == http.StatusNotFound {
		view.Message = "There is nothing at this URL. It may have been deleted, or the server may have been restarted without -data."
	}
	if answered, is := answer.Body.(api.ErrorDetail); is && view.Status != http.StatusInternalServerError && !answer.NotServed() {
		view.Message = answered.Detail
	}
	maps.Copy(w.Header(), answer.Header)
	if _, expected := rest.Refused(err, s.rest.Dialect); !expected {
		s.rest.Logger.ErrorContext(r.Context(), "page failed", "error", err)
	}
	if view.Status == http.StatusUnauthorized {
		if !follows(r) { // A page that is open says how to log in again. It has no use for a dialog.
			w.Header().Set("WWW-Authenticate", `Basic realm="API key as the password", charset="UTF-8"`)
		}
		view.Remedy = "Reload the page and enter an API key of the workspace as the password, with any user name. " +
			"After a restart, a server may have another key: one that was started with -seed prints it."
	}
	write := s.wanted(w, r)
	w.WriteHeader(view.Status)
	if err := write(w, view); err != nil {
		s.rest.Logger.ErrorContext(r.Context(), "error page failed", "error", err)
	}
}

// workspaces returns those that the request's key gives access to, if the request must choose one of them.
func (s *Service) workspaces(r *http.Request) (all []web.Workspace) {
	key, _ := rest.KeyOf(s.rest.Keys, credentials(r))
	if len(key.Workspaces) < 2 {
		return nil
	}
	for _, id := range key.Workspaces {
		all = append(all, web.Workspace{ID: id, URL: web.Paths{Base: pagesBase + "/workspaces/" + id}.Deployments()})
	}
	return all
}

// frame determines the workspace of a page, and the data around its content. A browser sends the key as a password.
func (s *Service) frame(r *http.Request) (web.Frame, string, error) {
	frame := web.Frame{Base: pagesBase, Origin: rest.BaseURL(r), Address: r.URL.RequestURI()}
	if name := r.URL.Query().Get("tz"); name != "" {
		frame.Zone = zoneOf(r.URL.Query()).String()
	}
	header := credentials(r)
	if id := r.PathValue("workspace_id"); id != "" {
		if parsed, err := uuid.Parse(id); err == nil {
			frame.Base, frame.Workspace = pagesBase+"/workspaces/"+parsed.String(), parsed.String()
		}
		header.Set("X-Tenant-Id", id)
	}
	workspaceID, err := rest.Identify(s.rest.Keys, header)
	frame.Server = web.Server{WorkspaceID: workspaceID, Keyless: len(s.rest.Keys) == 0}
	if s.rest.Dialect != api.Neutral {
		frame.Server.Dialect = s.rest.Dialect.Name
	}
	rest.ArrivalOf(r.Context()).WorkspaceID = workspaceID
	return frame, workspaceID, err
}

// credentials converts a browser's credentials to the form of API clients. Clients that read pages as JSON send them in
// that form.
func credentials(r *http.Request) http.Header {
	header := http.Header{}
	key := r.Header.Get("X-Api-Key")
	if _, password, given := r.BasicAuth(); given {
		key = password
	}
	if key != "" {
		header.Set("X-Api-Key", key)
	}
	return header
}

// user is the user that the browser's key belongs to.
func (s *Service) user(r *http.Request) string { return rest.UserOf(s.rest.Keys, credentials(r)) }
