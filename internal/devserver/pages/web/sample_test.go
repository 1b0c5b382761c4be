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

// empty returns an empty view of every page.
func empty() []any {
	return []any{
		DeploymentsView{}, DeploymentView{}, RolloutView{}, SettingsView{}, LogsView{}, ListenersView{}, IntegrationsView{}, PricesView{}, SpaceView{}, WorkspacesView{}, RequestsView{}, ProjectsView{}, ProjectView{}, ProjectFiguresView{},
		FeedbackView{}, ThreadsView{}, ThreadView{}, TraceView{}, RunView{}, ComparisonView{}, GroupComparisonView{}, SharesView{}, ErrorView{}, OAuthView{}, ConnectView{}, MessageView{}, TestView{}, DatasetsView{}, DatasetView{},
	}
}

func logsOf() []Log {
	return []Log{{"Build log", []LogLine{{moment, "INFO", "Building."}, {Level: "ERROR", Message: "no Dockerfile\nat /"}}, 3}}
}

func timeline() TimelineView {
	return TimelineView{
		Frame:            frame,
		DeploymentStatus: "READY", Paging: paging, DeploymentID: "d1", ProjectID: "p1",
		Revisions: []RevisionRow{
			{Revision: Revision{
				ID: "v2", Status: "DEPLOYING", Reference: "registry.example.com/chat:2", CreatedAt: after(time.Hour), Elapsed: new(4 * time.Second),
				States: []RevisionState{
					{"QUEUED", after(time.Hour), new(time.Second), false},
					{"DEPLOYING", after(time.Hour + time.Second), new(3 * time.Second), true},
				},
			}},
			{Served: &Figures{Runs: 3, Errors: 1, TotalCost: "0.5"}, Revision: Revision{
				Cause: Cause{Line: "no Dockerfile", Source: "Build log"},
				ID:    "v1", Status: "BUILD_FAILED", Logs: logsOf(), Changes: []ComparedSetting{{"image_uri", "", "chat:1"}}, Active: true, CreatedAt: moment, Elapsed: new(2 * time.Second),
				States: []RevisionState{
					{"BUILDING", moment, new(2 * time.Second), false}, {"BUILD_FAILED", after(2 * time.Second), nil, true},
				},
			}},
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
		Runs:    []ListedRun{{run("r1"), "Hello?", "Bye.", "p1", "a talk", []Setting{{"correct", "0.5"}, {"tone", "kind"}, {"x", ""}, {"y", "1"}}}, {RunSummary: RunSummary{ID: "r2", TraceID: "r2", Name: "pending", RunType: "chain", Status: "pending", StartTime: moment}}},
		Paging:  paging, AllURL: "/ui/projects/p1", Live: true, FollowURL: "/ui/projects/p1",
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
		Roots: []TraceNode{{RunSummary: run("r1"), SelfTime: new(time.Second), OwnTokens: 34, OwnCost: "0.0002", RunsBelow: 2, ErrorsBelow: 1, Line: "What is it? → A\nrate.", Marks: []Mark{{"repeated", "call 1 of 2"}}, Children: []TraceNode{
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
	case View:
		err = p.Write(&b, v)
	case TimelineView:
		err = execute(&b, p.templates["deployment"], "timeline", v)
	case RolloutPart:
		err = execute(&b, p.templates["rollout"], "rollout part", v)
	default:
		t.Fatalf("render doesn't support a %T", view)
	}
	if err != nil {
		t.Fatalf("%T: %v", view, err)
	}
	return b.String()
}
