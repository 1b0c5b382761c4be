package web

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"
)

var moment = time.Date(2026, 5, 2, 10, 0, 0, 250e6, time.UTC)

func after(d time.Duration) time.Time { return moment.Add(d) }

var (
	frame  = Frame{Base: "/ui", Workspace: "00000000-0000-4000-8000-000000000001", Origin: "http://127.0.0.1:9000"}
	paging = Paging{PreviousURL: "/ui/deployments?cursor=a", NextURL: "/ui/deployments?cursor=b"}
)

// pixel is a one-pixel image.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// full returns a view of every page with all fields set.
func full() []any {
	rollout := RolloutFault{State: "BUILDING", Status: "ODD", Message: "no space left", Stall: true}
	figures := Figures{
		Runs: 1200, Errors: 3, PromptTokens: 5000, CompletionTokens: 700, TotalTokens: 5700, TotalCost: "0.0421",
		LatencyP50: new(1200 * time.Millisecond), LatencyP95: new(3 * time.Second), LatencyP99: new(4 * time.Second), FirstTokenP50: new(300 * time.Millisecond),
		FirstTokenP99: new(900 * time.Millisecond),
	}
	summary := DeploymentSummary{
		ID: "d1", Name: "chat", DisplayName: "Chat", Source: "external_container", DeploymentType: "dev", Status: "READY",
		LatestRevisionStatus: "DEPLOY_FAILED", LatestRevisionID: "v2", ActiveRevisionID: "v1", CreatedAt: moment, UpdatedAt: after(time.Hour),
	}
	project := ProjectSummary{ID: "p1", Name: "chat", Description: "of chat", StartTime: moment, Figures: figures, LastRunTime: after(time.Hour)}
	three := int64(3)
	return []any{
		DeploymentsView{
			Frame:       frame,
			Filter:      DeploymentFilter{"ch", "READY", "dev", "failed", []string{"READY", "UNUSED"}, []string{"dev", "prod"}, []string{"failed"}, "name"},
			Columns:     []Column{{"Name", "/ui/deployments?sort=name", "", false}, {Label: "Status"}},
			Deployments: []DeploymentSummary{summary, {ID: "d2", Name: "other", Status: "AWAITING_DATABASE"}}, Paging: paging, Live: Live{"/ui/events", "/ui/deployments?name_contains=ch"},
		},
		DeploymentView{
			Frame: frame, Deployment: summary, Configuration: []Setting{{"source_config.listener_id", "l1"}, {"shareable", "true"}},
			EnvironmentNames: []string{"LOG_LEVEL"}, SecretReferenceNames: []string{"API_KEY"}, ProjectID: "p1",
			Filter: RevisionFilter{"failed", "chat", []string{"failed"}}, Timeline: timeline(), Live: Live{"/ui/events", "/ui/deployments/d1"}, HCL: `resource "agentplane_deployment" "chat" {}`,
		},
		RolloutView{
			Frame: frame, DeploymentID: "d1", DeploymentName: "chat", Rollout: rolloutSample(), Live: Live{"/ui/events", "/ui/deployments/d1/revisions/v1"},
			Others: []RevisionChoice{{"v0", "DEPLOYED, chat:0"}, {"v2", "QUEUED, chat:2"}}, Against: "v0",
			Settings:    []ComparedSetting{{"image_uri", "chat:0", "chat:1"}, {"repo_ref", "main", "main"}, {"image_version", "", "1"}},
			BeforeAfter: &BeforeAfter{"p1", moment, time.Hour, figures, Figures{}}, Filter: AnswerFilter{Search: "patch", Outcomes: []string{"failed"}},
		},
		SettingsView{
			Frame: frame, A: SettingsSide{"chat", "d1"}, B: SettingsSide{"other", "d2"}, Names: []string{"chat", "other"},
			Settings: []ComparedSetting{{"shareable", "", "true"}, {"source", "external_container", "external_container"}},
		},
		LogsView{Frame: frame, DeploymentID: "d1", DeploymentName: "chat", RevisionID: "v1", Search: "err", Logs: logsOf()},
		ListenersView{Frame: frame, Listeners: []Listener{{
			ID: "l1", ComputeType: "k8s", ComputeID: "dev-cluster", Version: "1.2", Namespaces: []string{"agents"}, Deployments: []ListenerUser{{"d1", "chat", "agents"}, {ID: "d2"}},
			CreatedAt: moment, UpdatedAt: moment,
		}}, Paging: paging},
		IntegrationsView{Frame: frame, Integrations: []Integration{
			{ID: "i1", Name: "acme", InstallationID: 7, Repositories: []Repository{{"acme", "chat", "https://git.example.com/acme/chat", "main"}}},
			{ID: "i2", Name: "empty"},
		}},
		PricesView{Frame: frame, Prices: []Price{{"m1", "large", "^large$", "example", "2", "3", []Setting{{"cache_read", "1"}}, moment}}},
		SpaceView{frame, 5 << 20, 1 << 30, 8 << 20, 1 << 20, []ProjectSpace{{"p1", "chat", 1200, 1 << 20, 3 << 20, 1 << 19, 1 << 19, 5 << 20}}},
		WorkspacesView{Frame: frame, Workspaces: []Workspace{{"w1", "/ui/workspaces/w1/deployments"}}},
		RequestsView{
			Frame: frame, DevAPI: true, Paging: paging, Filter: RequestFilter{AnswerFilter{"depl", "failed", []string{"failed"}}, "tracing", []string{"tracing"}},
			Requests: []Request{
				{"r2", "POST", "/v2/deployments", "a=b", "/v2/deployments", 503, json.RawMessage(`{"name":"chat","secrets":"***"}`), json.RawMessage(`{"detail":"busy"}`), true, moment, new(time.Millisecond), "control plane"},
				{ID: "r1", Method: "GET", Path: "/v2/listeners", Status: 200}, {ID: "r0", Method: "GET", Path: "/v2/listeners"},
			},
			Faults: []Fault{
				{Match: "GET /v2/deployments", Times: 2, Skip: 1, Status: 429, Detail: "slow down", RetryAfter: &three, Latency: time.Second},
				{Times: 1, Rollout: &rollout},
			},
		},
		ProjectsView{Frame: frame, NameContains: "ch", Projects: []ProjectSummary{project, {ID: "p2"}}, Paging: paging},
		ProjectView{
			Frame: frame, Project: project, Start: moment, Step: time.Hour, Points: []Figures{figures, {}, figures},
			Ranges:    []Range{{"last hour", "/ui/projects/p1?range=1h", false, false}, {"last day", "/ui/projects/p1?range=24h", true, true}},
			Range:     RangeForm{"last day", "2026-05-01T10:00:00", "2026-05-02T10:00:00", "Asia/Tokyo", []Setting{{"by", "model"}}, true, "no such zone"},
			PointURLs: []string{"/ui/projects/p1?from=a&to=b", "/ui/projects/p1?from=b&to=c", "/ui/projects/p1?from=c&to=d"},
			Previous:  &Figures{Runs: 600, Errors: 3, LatencyP50: new(time.Second)}, Comparisons: []Range{{"with the period before", "/ui/projects/p1?vs=previous", true, false}},
			Views: []SavedView{{"slow failures", "/ui/projects/p1?q=latency%3E2s", true}}, ViewQuery: "q=latency%3E2s",
			DeploymentID: "d1", Runs: runList(), Groupings: []Range{{"by model", "/ui/projects/p1?by=model", true, false}}, GroupedBy: "model",
			Groups: []FiguresGroup{{"example-large", figures, []Figures{figures, {}, figures}}, {"example-small", Figures{}, []Figures{{}, {}, {}}}},
		},
		FeedbackView{
			Frame: frame, ProjectID: "p1", ProjectName: "chat", Ranges: []Range{{"last day", "/ui/projects/p1/feedback", true, false}}, Paging: paging,
			Feedback: []ListedFeedback{
				{"r1", Feedback{Key: "correct", Said: "0.5", Comment: "almost", Source: "api", Time: moment}},
				{Feedback: Feedback{Key: "note", Said: "slow", Source: "app", Time: moment}},
			},
		},
		ThreadsView{
			Frame: frame, ProjectID: "p1", ProjectName: "chat", Ranges: []Range{{"last day", "/ui/projects/p1/threads", true, false}}, Paging: paging,
			Threads: []ThreadSummary{{"thread", 3, 1, 99, "Hello?", "Bye.", moment}},
		},
		ThreadView{
			Frame: frame, ID: "thread", ProjectID: "p1", ProjectName: "chat", Turns: 2, Errors: 1, Duration: new(time.Minute), Paging: paging,
			TotalTokens: 1240, TotalCost: "0.0051", Gaps: Gaps{UnpricedRuns: 1, UnpricedTokens: 6}, OrderURL: "/ui/projects/p1/threads?order=oldest&thread=thread",
			Shown: []Turn{{1, ListedRun{RunSummary{ID: "r1", TraceID: "t1", Status: "success"}, "# Hello\n\n- a `b`", "*Bye*", nil}}, {2, ListedRun{RunSummary: run("r2")}}},
		},
		traceView(), runView(), ComparisonView{
			frame, "p1", "chat", ComparedRun{ID: "r1", TraceID: "t1", Name: "agent", Outputs: json.RawMessage(`{"answer":42}`), Metadata: []Setting{{"user", "ada"}}},
			ComparedRun{ID: "r2", TraceID: "t1", Status: "error", Error: "rate limited", Outputs: json.RawMessage(`{"answer":43}`)},
		},
		ErrorView{frame, 404, "There is no run r9.", "Look at the list of runs.", "req-1"},
		OAuthView{
			Frame: frame, UserID: "ada", Tokens: 60,
			Providers: []OAuthProvider{
				{ProviderID: "calendar", Name: "Calendar", ProviderType: "microsoft", Host: "login.example.com", Connected: true},
				{ProviderID: "tools", MCPServerURL: "https://mcp.example.com/mcp", Host: "auth.example.com"},
			},
			NewestTokens: []OAuthToken{
				{ID: "o2", ProviderID: "calendar", Label: "work", Scopes: []string{"calendar.read"}, Default: true, Refreshed: true, ExpiresAt: after(time.Hour), CreatedAt: moment, UpdatedAt: moment},
				{ID: "o1", ProviderID: "tools", Expired: true, ExpiresAt: moment},
			},
			Connections: []AgentConnection{{"c1", "support", "calendar", "o2", moment}},
		},
		ConnectView{frame, "https://login.example.com/authorize?state=s", "login.example.com"},
		MessageView{Frame: frame, RunID: "r1", TraceID: "t1", RunName: "plan", Side: "inputs", Number: 4, Count: 8, Message: messages()[3]},
		TestView{frame, "r1", "t1", "plan", "locals {}", `run "plan" {}`, "plan.tftest.hcl", "plan.run.json"},
		DatasetsView{Frame: frame, Paging: paging, Datasets: []DatasetSummary{{"s1", "capitals", "of countries", 25, 3, moment}, {ID: "s2"}}},
		DatasetView{
			Frame: frame, Dataset: DatasetSummary{"s1", "capitals", "of countries", 25, 3, moment}, Worse: 1, Paging: paging,
			Others: []ExperimentLink{{"agent-1", "/ui/datasets/s1?selectedSessions=p1", moment}},
			Experiments: []Experiment{
				{ID: "p3", Name: "agent-3", StartTime: moment, Result: Result{Runs: 2, Errors: 1, Latency: new(time.Second), TotalCost: "0.5"},
					Scores: []Score{{"count", "2", ""}}, Partial: true},
				{ID: "p2", Name: "agent-2"},
			},
			Examples: []ComparedExample{
				{ID: "e1", Inputs: "Spain", Expected: "Madrid", Results: []ExampleResult{
					{Result{Runs: 1, Errors: 1, Worse: true, Scores: []Score{{"correct", "0", "worse"}, {"speed", "2", "better"}}}, "t1", "Barcelona", "late"}, {},
				}},
				{ID: "e2", Deleted: true, Results: []ExampleResult{{Result: Result{Runs: 1}, TraceID: "t2"}, {Result: Result{Runs: 1}, TraceID: "t3"}}},
			},
		},
	}
}

// empty returns an empty view of every page.
func empty() []any {
	return []any{
		DeploymentsView{}, DeploymentView{}, RolloutView{}, SettingsView{}, LogsView{}, ListenersView{}, IntegrationsView{}, PricesView{}, SpaceView{}, WorkspacesView{}, RequestsView{}, ProjectsView{}, ProjectView{},
		FeedbackView{}, ThreadsView{}, ThreadView{}, TraceView{}, RunView{}, ComparisonView{}, ErrorView{}, OAuthView{}, ConnectView{}, MessageView{}, TestView{}, DatasetsView{}, DatasetView{},
	}
}

func logsOf() []Log {
	return []Log{{"Build log", []LogLine{{moment, "INFO", "Building."}, {Level: "ERROR", Message: "no Dockerfile\nat /"}}, 3}}
}

func rolloutSample() RolloutPart {
	return RolloutPart{
		Revision: timeline().Revisions[1], DevAPI: true,
		Cause: Cause{"no Dockerfile", "Build log", 1, moment},
		Requests: []RolloutRequest{
			{Request{ID: "r2", Method: "PATCH", Path: "/v2/deployments/d1", Sent: "/v2/deployments/d1", Status: 200, Answer: json.RawMessage(`{"latest_revision_id":"v1"}`)}, true},
			{Request{ID: "r3", Method: "GET", Path: "/v2/deployments/d1", Sent: "/v2/deployments/d1", Status: 503}, false},
		},
	}
}

func timeline() TimelineView {
	return TimelineView{
		DeploymentStatus: "READY", Paging: paging, DeploymentID: "d1", ProjectID: "p1",
		Revisions: []Revision{
			{
				ID: "v2", Status: "DEPLOYING", Reference: "registry.example.com/chat:2", CreatedAt: after(time.Hour), Elapsed: new(4 * time.Second),
				States: []RevisionState{
					{"QUEUED", after(time.Hour), new(time.Second), false},
					{"DEPLOYING", after(time.Hour + time.Second), new(3 * time.Second), true},
				},
			},
			{
				ID: "v1", Status: "BUILD_FAILED", StatusMessage: "no Dockerfile", Logs: logsOf(), Changes: []Change{{"image_uri", "", "chat:1"}}, Active: true, CreatedAt: moment, Elapsed: new(2 * time.Second),
				States: []RevisionState{
					{"BUILDING", moment, new(2 * time.Second), false}, {"BUILD_FAILED", after(2 * time.Second), nil, true},
				},
			},
		},
	}
}

func runList() RunList {
	return RunList{
		Filter: RunFilter{
			Search: "refund", Scope: "all", RunType: "llm", Status: "error", RunTypes: []string{"llm", "tool"}, Statuses: []string{"success", "error"},
			Hidden: []Setting{{"range", "1h"}},
		},
		Chips: []Chip{{"refund", "/ui/projects/p1?scope=all"}}, Suggestions: []string{"status:error", "model:example-large"},
		FacetRuns: 4000, Facets: []FacetGroup{{"Model", []Facet{{"example-large", "/ui/projects/p1?q=x", 3}}}},
		Columns: []Column{{"Started", "/ui/projects/p1", "descending", false}, {"Latency", "/ui/projects/p1?sort=latency", "", true}},
		Runs:    []ListedRun{{run("r1"), "Hello?", "Bye.", []Setting{{"correct", "0.5"}, {"tone", "kind"}, {"x", ""}, {"y", "1"}}}, {RunSummary: RunSummary{ID: "r2", TraceID: "r2", Name: "pending", RunType: "chain", Status: "pending", StartTime: moment}}},
		Paging:  paging, AllURL: "/ui/projects/p1", Live: Live{"/ui/events", "/ui/projects/p1?live=on"}, FollowURL: "/ui/projects/p1",
	}
}

func run(id string) RunSummary {
	return RunSummary{
		ID: id, TraceID: "t1", Name: "agent", RunType: "llm", Status: "error", Models: []string{"example-large"}, Error: "rate limited",
		StartTime: moment, Latency: new(2 * time.Second), FirstToken: new(500 * time.Millisecond), TotalTokens: 1234, TotalCost: "0.0042",
	}
}

func traceView() TraceView {
	tool := RunSummary{ID: "r2", TraceID: "t1", Name: "search", RunType: "tool", Status: "success", StartTime: after(time.Second), Latency: new(time.Second)}
	return TraceView{
		Frame: frame, ID: "t1", Run: runView(), Depth: 1, Levels: []Range{{"all", "/ui/traces/t1", true, false}},
		PreviousURL: "/ui/traces/t0", NextURL: "/ui/traces/t2",
		Roots: []TraceNode{{RunSummary: run("r1"), SelfTime: new(time.Second), OwnTokens: 34, OwnCost: "0.0002", RunsBelow: 2, ErrorsBelow: 1, Children: []TraceNode{
			{RunSummary: tool, SelfTime: new(time.Second)},
			{RunSummary: RunSummary{ID: "r3", TraceID: "t1", Error: "late", Name: "late", Status: "pending", StartTime: after(1500 * time.Millisecond)}},
		}}},
		ByModel: []TraceGroup{{"example-large", 1, 1, 2 * time.Second, time.Second, 34, "0.0002"}}, ByTool: []TraceGroup{{Name: "search", Runs: 1}},
		ByName: []TraceGroup{{Name: "agent", Runs: 1, Cost: "12.5"}, {Name: "search", Runs: 1}},
		Totals: Totals{
			Runs: 3, Errors: 1, PromptTokens: 1000, CompletionTokens: 234, TotalTokens: 1234, PromptCost: "0.003", CompletionCost: "0.001",
			OtherCost: "0.0002", TotalCost: "0.0042", Latency: new(2 * time.Second), FirstToken: new(500 * time.Millisecond),
		},
	}
}

// messages contain every type of block.
func messages() []Message {
	return []Message{
		{Role: "system", Content: []Block{{Type: "text", Text: "Be brief."}}},
		{Role: "user", Name: "Ada", Content: []Block{
			{Type: "text", Text: "What is\nthis?"}, {Type: "image", MIMEType: "image/png", Base64: pixel},
			{Type: "image", URL: "https://example.com/a.png"}, {Type: "image", MIMEType: "image/svg+xml", Base64: "PHN2Zy8+"},
			{Type: "file", ID: "file-1", Name: "a.pdf", MIMEType: "application/pdf"}, {Type: "audio", MIMEType: "audio/wav", Base64: "UklGRg=="},
			{Type: "video", MIMEType: "video/mp4", Base64: "AAAA"},
		}},
		{Role: "reasoning", Content: []Block{{Type: "reasoning", Text: "Hm."}}},
		{Role: "assistant", Content: []Block{
			{Type: "reasoning", Text: "I could search.", Extras: json.RawMessage(`{"signature":"x"}`)},
			{Type: "text", Text: "Let me see.", Annotations: json.RawMessage(
				`[{"type":"url_citation","url_citation":{"url":"https://example.com/","title":"Example"}},{"type":"char_location","cited_text":"Grass."}]`)},
			{Type: "tool_call", ID: "c1", Name: "search", Args: json.RawMessage(`{"q":"this"}`)},
			{Type: "server_tool_call", ID: "s1", Name: "web_search", Args: json.RawMessage(`{"q":"that"}`)},
			{Type: "server_tool_result", ToolCallID: "s1", Status: "success", Output: json.RawMessage(`["found"]`)},
			{Type: "server_tool_result", ToolCallID: "s9", Status: "error", Output: json.RawMessage(`"lost"`)},
			{Type: "novel", Text: "?", Extras: json.RawMessage(`{"a":1}`)},
		}, Extras: json.RawMessage(`{"choice":{"finish_reason":"stop"}}`)},
		{Role: "tool", ToolCallID: "c1", Content: []Block{{Type: "text", Text: "It is a pixel."}}, Extras: json.RawMessage(`{"status":"ok"}`)},
		{Role: "tool", ToolCallID: "c9", Content: []Block{{Type: "text", Text: "Whose is this?"}}},
		{},
	}
}

func runView() RunView {
	problem := Problem{"/messages/0/content", "content_required", "the message has no content", "add a list of blocks"}
	return RunView{
		Frame: frame, Run: run("r1"), ProjectID: "p1", ProjectName: "chat", ParentID: "r0", ThreadID: "thread", EndTime: after(2 * time.Second),
		Tags: []string{"prod"}, Metadata: []Setting{{"user", "ada"}},
		Inputs:  Document{Format: "native", Messages: messages(), Problems: []Problem{problem}, Raw: json.RawMessage(`{"messages":[]}`)},
		Tools:   []Tool{{"search", "Looks things up.", json.RawMessage(`{"name":"search"}`)}},
		Outputs: Document{Format: "unrecognized", Problems: []Problem{{"", "format_recognized", "no format fits", "see the list"}}, Raw: json.RawMessage(`{"answer":42}`)},
		Usage:   []UsageRow{{"Input", false, "1000", "0.003"}, {"cache_read", true, "200", "0.0001"}, {"Total", false, "1234", "0.0042"}},
		Below:   &Totals{Runs: 3, TotalTokens: 1234, TotalCost: "0.0042"}, UsageSource: "/outputs/usage_metadata", PriceName: "example-large",
		Events:      []Event{{"new_token", after(500 * time.Millisecond), new(500 * time.Millisecond), true}, {Name: "end"}},
		Attachments: []Attachment{{"photo.png", "image/png", 70, "/attachments/a1"}, {Name: "lost", Size: 1}},
		Problems:    []Problem{problem}, RawSize: 11, Peers: []Peer{{ID: "r7", Name: "agent", Status: "success"}},
	}
}

// newPages returns the pages.
func newPages(t testing.TB) *Pages {
	t.Helper()
	p, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// render returns the page or fragment of a view.
func render(t testing.TB, p *Pages, view any) string {
	t.Helper()
	var b bytes.Buffer
	var err error
	switch v := view.(type) {
	case DeploymentsView:
		err = p.Deployments(&b, v)
	case DeploymentView:
		err = p.Deployment(&b, v)
	case TimelineView:
		err = p.Timeline(&b, frame, v)
	case RolloutView:
		err = p.Rollout(&b, v)
	case RolloutPart:
		err = p.RolloutPart(&b, frame, "d1", v)
	case SettingsView:
		err = p.Settings(&b, v)
	case LogsView:
		err = p.Logs(&b, v)
	case ListenersView:
		err = p.Listeners(&b, v)
	case IntegrationsView:
		err = p.Integrations(&b, v)
	case PricesView:
		err = p.Prices(&b, v)
	case SpaceView:
		err = p.Space(&b, v)
	case WorkspacesView:
		err = p.Workspaces(&b, v)
	case RequestsView:
		err = p.Requests(&b, v)
	case ProjectsView:
		err = p.Projects(&b, v)
	case ProjectView:
		err = p.Project(&b, v)
	case FeedbackView:
		err = p.Feedback(&b, v)
	case ThreadsView:
		err = p.Threads(&b, v)
	case ThreadView:
		err = p.Thread(&b, v)
	case ComparisonView:
		err = p.Comparison(&b, v)
	case TraceView:
		err = p.Trace(&b, v)
	case RunView:
		err = p.Run(&b, v)
	case MessageView:
		err = p.Message(&b, v)
	case DatasetsView:
		err = p.Datasets(&b, v)
	case DatasetView:
		err = p.Dataset(&b, v)
	case TestView:
		err = p.Test(&b, v)
	case OAuthView:
		err = p.OAuth(&b, v)
	case ConnectView:
		err = p.Connect(&b, v)
	case ErrorView:
		err = p.Error(&b, v)
	default:
		t.Fatalf("render doesn't support a %T", view)
	}
	if err != nil {
		t.Fatalf("%T: %v", view, err)
	}
	return b.String()
}
