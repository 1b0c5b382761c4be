package web

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"sync"
)

// Pages renders pages. It is safe for concurrent use.
type Pages struct {
	// templates are those of each page, with the layout and the shared parts.
	templates map[string]*template.Template
	parts     *template.Template
	// json says that pages are rendered as JSON.
	json bool
}

//go:embed templates
var templateFiles embed.FS

// pageNames are the pages, each of which has its own file.
var pageNames = []string{
	"deployments", "deployment", "rollout", "settings", "logs", "listeners", "integrations", "oauth", "connect", "prices", "space", "requests", "workspaces", "projects", "project", "figures", "feedback", "datasets", "dataset",
	"threads", "thread", "trace", "run", "shared", "shares", "comparison", "error", "message", "test",
}

// New returns the pages. All servers of a process share them: parsing the templates takes longer than most requests.
func New() (*Pages, error) { return readPages() }

var readPages = sync.OnceValues(func() (*Pages, error) {
	parts, err := template.New("").Funcs(functions).ParseFS(templateFiles, "templates/layout.html", "templates/part_*.html")
	if err != nil {
		return nil, fmt.Errorf("pages: %w", err)
	}
	p := &Pages{templates: make(map[string]*template.Template, len(pageNames)), parts: parts}
	for _, name := range pageNames {
		page, err := parts.Clone()
		if err == nil {
			page, err = page.ParseFS(templateFiles, "templates/"+name+".html")
		}
		if err != nil {
			return nil, fmt.Errorf("page %s: %w", name, err)
		}
		p.templates[name] = page
	}
	return p, nil
})

// layout is the data for the layout around a page's content.
type layout struct {
	Frame

	Title string
	// Nav is the list that the page belongs to.
	Nav  string
	View any
}

// write writes a complete page, or nothing.
func (p *Pages) write(w io.Writer, name string, l layout) error {
	if p.json {
		return writeJSON(w, l.View)
	}
	l.View = inZone(l.Frame, l.View)
	return execute(w, p.templates[name], "layout", l)
}

func execute(w io.Writer, t *template.Template, name string, data any) error {
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, name, data); err != nil {
		return fmt.Errorf("render %s: %w", name, err)
	}
	_, err := b.WriteTo(w)
	return err
}

// Deployments writes the list of deployments.
func (p *Pages) Deployments(w io.Writer, v DeploymentsView) error {
	return p.write(w, "deployments", layout{v.Frame, "Deployments", "deployments", v})
}

// Deployment writes one deployment.
func (p *Pages) Deployment(w io.Writer, v DeploymentView) error {
	return p.write(w, "deployment", layout{v.Frame, "Deployment " + v.Deployment.Name, "deployments", v})
}

// Rollout writes one rollout.
func (p *Pages) Rollout(w io.Writer, v RolloutView) error {
	return p.write(w, "rollout", layout{v.Frame, "Rollout of " + v.DeploymentName, "deployments", v})
}

// Settings writes the settings of two deployments side by side.
func (p *Pages) Settings(w io.Writer, v SettingsView) error {
	return p.write(w, "settings", layout{v.Frame, "Settings of deployments compared", "deployments", v})
}

// Logs writes the logs of a revision.
func (p *Pages) Logs(w io.Writer, v LogsView) error {
	return p.write(w, "logs", layout{v.Frame, "Logs of " + v.DeploymentName, "deployments", v})
}

// Listeners writes the list of listeners.
func (p *Pages) Listeners(w io.Writer, v ListenersView) error {
	return p.write(w, "listeners", layout{v.Frame, "Listeners", "listeners", v})
}

// Integrations writes the list of integrations.
func (p *Pages) Integrations(w io.Writer, v IntegrationsView) error {
	return p.write(w, "integrations", layout{v.Frame, "Integrations", "integrations", v})
}

// Space writes what takes how much in the database.
func (p *Pages) Space(w io.Writer, v SpaceView) error {
	return p.write(w, "space", layout{v.Frame, "Space", "space", v})
}

// Prices writes the prices of models.
func (p *Pages) Prices(w io.Writer, v PricesView) error {
	return p.write(w, "prices", layout{v.Frame, "Model prices", "prices", v})
}

// Workspaces writes the selection of a workspace.
func (p *Pages) Workspaces(w io.Writer, v WorkspacesView) error {
	return p.write(w, "workspaces", layout{v.Frame, "Workspaces", "", v})
}

// OAuth writes OAuth providers, tokens and agent connections.
func (p *Pages) OAuth(w io.Writer, v OAuthView) error {
	return p.write(w, "oauth", layout{v.Frame, "OAuth", "oauth", v})
}

// Connect writes the page that redirects to a login.
func (p *Pages) Connect(w io.Writer, v ConnectView) error {
	return p.write(w, "connect", layout{v.Frame, "Log in at " + v.Host, "oauth", v})
}

// Requests writes the logged requests and armed faults.
func (p *Pages) Requests(w io.Writer, v RequestsView) error {
	return p.write(w, "requests", layout{v.Frame, "Requests and faults", "requests", v})
}

// Projects writes the list of projects.
func (p *Pages) Projects(w io.Writer, v ProjectsView) error {
	return p.write(w, "projects", layout{v.Frame, "Projects", "projects", v})
}

// Project writes one project.
func (p *Pages) Project(w io.Writer, v ProjectView) error {
	return p.write(w, "project", layout{v.Frame, "Project " + v.Project.Name, "projects", v})
}

// ProjectFigures writes the figures of a project's runs.
func (p *Pages) ProjectFigures(w io.Writer, v ProjectFiguresView) error {
	return p.write(w, "figures", layout{v.Frame, "Figures of " + v.ProjectName, "projects", v})
}

// Trace writes one trace.
func (p *Pages) Trace(w io.Writer, v TraceView) error {
	page := newTracePage(v)
	return p.write(w, "trace", layout{v.Frame, "Trace " + short(120, page.Name), "projects", page})
}

// ChosenRun writes what changes on the page of a trace when another run is selected.
func (p *Pages) ChosenRun(w io.Writer, v TraceView) error {
	if p.json {
		return writeJSON(w, v)
	}
	return execute(w, p.parts, "chosen parts", newTracePage(v))
}

// Feedback writes the feedback on a project and on its runs.
func (p *Pages) Feedback(w io.Writer, v FeedbackView) error {
	return p.write(w, "feedback", layout{v.Frame, "Feedback on " + v.ProjectName, "projects", v})
}

// Datasets writes the list of datasets.
func (p *Pages) Datasets(w io.Writer, v DatasetsView) error {
	return p.write(w, "datasets", layout{v.Frame, "Datasets", "datasets", v})
}

// Dataset writes the experiments of a dataset.
func (p *Pages) Dataset(w io.Writer, v DatasetView) error {
	return p.write(w, "dataset", layout{v.Frame, "Dataset " + v.Dataset.Name, "datasets", v})
}

// Threads writes the conversations of a project.
func (p *Pages) Threads(w io.Writer, v ThreadsView) error {
	return p.write(w, "threads", layout{v.Frame, "Threads of " + v.ProjectName, "projects", v})
}

// Thread writes one conversation.
func (p *Pages) Thread(w io.Writer, v ThreadView) error {
	return p.write(w, "thread", layout{v.Frame, "Thread " + short(80, v.ID), "projects", newThreadPage(v)})
}

// Comparison writes two runs side by side.
func (p *Pages) Comparison(w io.Writer, v ComparisonView) error {
	return p.write(w, "comparison", layout{v.Frame, "Comparison of " + short(60, v.A.Name) + " and " + short(60, v.B.Name), "projects", newComparisonPage(v)})
}

// GroupComparison writes two groups of runs side by side.
func (p *Pages) GroupComparison(w io.Writer, v GroupComparisonView) error {
	page := newGroupComparisonPage(v)
	return p.write(w, "comparison", layout{v.Frame, page.Title, "projects", page})
}

// Run writes one run.
func (p *Pages) Run(w io.Writer, v RunView) error {
	return p.write(w, "run", layout{v.Frame, "Run " + short(120, v.Run.Name), "projects", newRunPage(v)})
}

// Message writes one message of a run.
func (p *Pages) Message(w io.Writer, v MessageView) error {
	title := fmt.Sprintf("Message %d of %s", v.Number, short(80, v.RunName))
	return p.write(w, "message", layout{v.Frame, title, "projects", newMessagePage(v)})
}

// Test writes a test of a run.
func (p *Pages) Test(w io.Writer, v TestView) error {
	return p.write(w, "test", layout{v.Frame, "Test of " + short(120, v.RunName), "projects", v})
}

// Shares writes the list of what is shared.
func (p *Pages) Shares(w io.Writer, v SharesView) error {
	return p.write(w, "shares", layout{v.Frame, "Shared runs and threads", "projects", v})
}

// SharedRun writes one run without links to what only its workspace can read.
func (p *Pages) SharedRun(w io.Writer, v RunView) error {
	return p.write(w, "shared", layout{v.Frame, "Run " + short(120, v.Run.Name), "", newRunPage(v)})
}

// Error writes an error page.
func (p *Pages) Error(w io.Writer, v ErrorView) error {
	title := http.StatusText(v.Status)
	if title == "" {
		title = "Something went wrong"
	}
	if v.Message == "" {
		v.Message = "The server answered this request with status " + fmt.Sprint(v.Status) + "."
		if v.Status == http.StatusNotFound {
			v.Message = "There is nothing at this URL. It may have been deleted, or the server may have been restarted without -data."
		}
	}
	return p.write(w, "error", layout{v.Frame, title, "", v})
}
