package web

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"path"
	"strings"
	"sync"
)

// Pages renders pages. It is safe for concurrent use.
type Pages struct {
	// templates are those of each file, with the layout and the shared parts.
	templates map[string]*template.Template
}

//go:embed templates
var templateFiles embed.FS

// New returns the pages. All servers of a process share them: parsing the templates takes longer than most requests.
func New() (*Pages, error) { return readPages() }

var readPages = sync.OnceValues(func() (*Pages, error) {
	parts, err := template.New("").Funcs(functions).ParseFS(templateFiles, "templates/layout.html", "templates/part_*.html")
	if err != nil {
		return nil, fmt.Errorf("pages: %w", err)
	}
	files, err := fs.Glob(templateFiles, "templates/*.html")
	p := &Pages{templates: make(map[string]*template.Template, len(files))}
	for _, file := range files {
		set, failed := parts.Clone()
		if failed == nil {
			set, failed = set.ParseFS(templateFiles, file)
		}
		p.templates[strings.TrimSuffix(path.Base(file), ".html")], err = set, errors.Join(err, failed)
	}
	return p, err
})

// View is the data of a page.
type View interface {
	page() page
	frame() Frame
}

// page says how a view is shown: by the template of a file. Nav is the list that the page belongs to, and data what the template shows.
type page struct {
	file, nav string
	data      any
}

func (v DeploymentsView) page() page    { return page{"deployments", "deployments", v} }
func (v DeploymentView) page() page     { return page{"deployment", "deployments", v} }
func (v RolloutView) page() page        { return page{"rollout", "deployments", v} }
func (v SettingsView) page() page       { return page{"settings", "deployments", v} }
func (v LogsView) page() page           { return page{"logs", "deployments", v} }
func (v ListenersView) page() page      { return page{"listeners", "listeners", v} }
func (v IntegrationsView) page() page   { return page{"integrations", "integrations", v} }
func (v OAuthView) page() page          { return page{"oauth", "oauth", v} }
func (v ConnectView) page() page        { return page{"connect", "oauth", v} }
func (v ProjectsView) page() page       { return page{"projects", "projects", v} }
func (v ProjectView) page() page        { return page{"project", "projects", v} }
func (v ProjectFiguresView) page() page { return page{"figures", "projects", v} }
func (v FeedbackView) page() page       { return page{"feedback", "projects", v} }
func (v ThreadsView) page() page        { return page{"threads", "projects", v} }
func (v ThreadView) page() page         { return page{"thread", "projects", newThreadPage(v)} }
func (v TraceView) page() page          { return page{"trace", "projects", newTracePage(v)} }
func (v ChosenRunView) page() page      { return page{"chosen", "projects", newTracePage(v.TraceView)} }
func (v RunView) page() page            { return page{"run", "projects", newRunPage(v)} }
func (v SharedRunView) page() page      { return page{"shared", "", newRunPage(v.RunView)} }
func (v MessageView) page() page        { return page{"message", "projects", newMessagePage(v)} }
func (v TestView) page() page           { return page{"test", "projects", v} }
func (v ComparisonView) page() page     { return page{"comparison", "projects", newComparisonPage(v)} }
func (v GroupComparisonView) page() page {
	return page{"comparison", "projects", newGroupComparisonPage(v)}
}
func (v SharesView) page() page     { return page{"shares", "projects", v} }
func (v DatasetsView) page() page   { return page{"datasets", "datasets", v} }
func (v DatasetView) page() page    { return page{"dataset", "datasets", v} }
func (v PricesView) page() page     { return page{"prices", "prices", v} }
func (v RequestsView) page() page   { return page{"requests", "requests", v} }
func (v SpaceView) page() page      { return page{"space", "space", v} }
func (v WorkspacesView) page() page { return page{"workspaces", "", v} }
func (v ErrorView) page() page      { return page{"error", "", v} }

// layout is the data for the layout around a page's content.
type layout struct {
	Frame
	Nav  string
	View any
}

// Write writes a complete page, or nothing.
func (p *Pages) Write(w io.Writer, v View) error {
	shown, frame := v.page(), v.frame()
	return execute(w, p.templates[shown.file], "layout", layout{frame, shown.nav, inZone(frame, shown.data)})
}

func execute(w io.Writer, t *template.Template, name string, data any) error {
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, name, data); err != nil {
		return fmt.Errorf("render %s: %w", name, err)
	}
	_, err := b.WriteTo(w)
	return err
}
