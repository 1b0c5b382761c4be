package web

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestDuration(t *testing.T) {
	t.Parallel()
	for want, d := range map[string]time.Duration{
		"0 s": 0, "999 µs": 999 * time.Microsecond, "1 ms": time.Millisecond, "350 ms": 349_600 * time.Microsecond,
		"1.00 s": 999_600 * time.Microsecond, "2.35 s": 2346 * time.Millisecond, "12.3 s": 12_340 * time.Millisecond,
		"1 min": 59_990 * time.Millisecond, "2 min 5 s": 125 * time.Second, "1 h": 3599*time.Second + 800*time.Millisecond, "11 h 56 min": 11*time.Hour + 56*time.Minute + 7*time.Second,
		"26 h 3 min": 26*time.Hour + 3*time.Minute, "-1 min 30 s": -90 * time.Second, "-350 ms": -350 * time.Millisecond, "2 d": 48 * time.Hour, "30 d 1 h": 721 * time.Hour, "-1 h 5 min": -65 * time.Minute,
	} {
		if got := duration(&d); got != want {
			t.Errorf("duration(%v) = %q, want %q", d, got, want)
		}
	}
	if got := duration(nil); got != "–" {
		t.Errorf("duration(nil) = %q, want –", got)
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	for got, want := range map[string]string{
		count(0): "0", count(999): "999", count(1000): "1,000", count(-1234567): "-1,234,567", count(-123): "-123",
		size(1): "1 byte", size(2): "2 bytes", size(1536): "1.5 KiB", size(5<<20 + 1<<19): "5.5 MiB", size(2000 << 20): "2,000.0 MiB",
		cost(""): "–", cost("0.00000001"): "$0.00000001", cost("1.9312345"): "$1.93", cost("2"): "$2", cost("3.5"): "$3.50", cost("1234.5"): "$1,234.50",
		cost("0.0421"): "$0.0421", cost("0.042133"): "$0.04213", cost("0.99999"): "$1.00", cost("0"): "$0", cost("0.000000123456"): "$0.0000001235",
		cost("-0.25"): "$-0.25", cost("-12.3456"): "$-12.35", cost("1e9x"): "$1e9x", plural(1, "line", "lines"): "1 line", plural(1200, "line", "lines"): "1,200 lines",
		dollars(0.00030000000000000003): "$0.0003", dollars(2500): "$2500", seconds(0.25): "0.25 s", seconds(0): "0 s",
		shortCount(9000): "9,000", shortCount(25000): "25 k", shortCount(2.5e6): "2.5 M",
	} {
		if got != want {
			t.Errorf("formatted number = %q, want %q", got, want)
		}
	}
}

func TestJSONText(t *testing.T) {
	t.Parallel()
	long := json.RawMessage(`"` + strings.Repeat("x", maxJSON) + `"`)
	huge := json.RawMessage(`"` + strings.Repeat("x", 4*maxJSON) + `"`)
	// It would take 80 MB if indented.
	deep := json.RawMessage(strings.Repeat("[", 200) + strings.Repeat("1,", 200_000) + "1" + strings.Repeat("]", 200))
	for name, tc := range map[string]struct {
		raw  json.RawMessage
		want shownJSON
	}{
		"indented":       {json.RawMessage(`{"a":[1.50]}`), shownJSON{Text: "{\n  \"a\": [\n    1.50\n  ]\n}", Omitted: 0}},
		"no JSON":        {json.RawMessage(`{"a":`), shownJSON{Text: `{"a":`, Omitted: 0}},
		"no text":        {json.RawMessage("\xff"), shownJSON{Text: "�", Omitted: 0}},
		"long":           {long, shownJSON{Text: string(long[:maxJSON]), Omitted: 2}},
		"mostly indents": {deep, shownJSON{Text: string(deep[:maxJSON]), Omitted: int64(len(deep)) - maxJSON}},
		"not even read":  {huge, shownJSON{Text: string(huge[:maxJSON]), Omitted: 3*maxJSON + 2}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, newJSONText(tc.raw)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	for word, kind := range map[string]string{
		"DEPLOYED": "good", "success": "good", "READY": "good", "BUILD_FAILED": "bad", "error": "bad", "INTERRUPTED": "bad",
		"SKIPPED": "idle", "": "idle", "QUEUED": "busy", "pending": "busy", "NEVER_HEARD_OF": "busy", "AWAITING_DELETE": "busy",
	} {
		got := newStatus(word)
		if got.Kind != kind || got.Sign == "" || got.Word == "" {
			t.Errorf("status of %q = %v, want the kind %s, with a sign and a word", word, got, kind)
		}
	}
	for code, want := range map[int]status{
		0: {"no answer", "bad", "✕"}, 204: {"204", "good", "✓"}, 304: {"304", "idle", "–"}, 404: {"404", "bad", "✕"}, 503: {"503", "bad", "✕"},
	} {
		if diff := cmp.Diff(want, newCodeStatus(code)); diff != "" {
			t.Errorf("newCodeStatus(%d) (-want +got):\n%s", code, diff)
		}
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://example.com/a?b#c": "https://example.com/a?b#c", " HTTP://Example.com ": "http://Example.com",
		"javascript:alert(1)": "", "JaVaScRiPt://example.com/%0aalert(1)": "", "java\nscript:alert(1)": "", "ftp://example.com": "",
		"file:///etc/passwd": "", "https:example.com": "", "//example.com": "", "/path": "", "": "", "data:text/html,x": "",
		"https://example.com@evil.example": "", "https://": "", "https://exa mple.com": "",
	} {
		if got := external(address); got != want {
			t.Errorf("external(%q) = %q, want %q", address, got, want)
		}
	}
	for address, want := range map[string]string{
		"/a?b=c": "/a?b=c", "//evil.example": "", `/\evil.example`: "", "/\t/evil.example": "", "https://evil.example": "", "a": "", "": "",
		"javascript:alert(1)": "",
	} {
		if got := local(address); got != want {
			t.Errorf("local(%q) = %q, want %q", address, got, want)
		}
	}
}

func TestMedia(t *testing.T) {
	t.Parallel()
	large := base64.StdEncoding.EncodeToString(make([]byte, maxMedia+1))
	for name, tc := range map[string]struct {
		block Block
		want  media
	}{
		"image": {
			Block{Type: "image", MIMEType: "image/png", Base64: pixel},
			media{Kind: "image", Label: "image, image/png, 70 bytes", Data: "data:image/png;base64," + pixel},
		},
		"type told by the content": {
			Block{Type: "image", Base64: pixel},
			media{Kind: "image", Label: "image, image/png, 70 bytes", Data: "data:image/png;base64," + pixel},
		},
		"another name and alphabet": {
			Block{Type: "image", MIMEType: "Image/JPG; q=1", Base64: "_-8\n"},
			media{Kind: "image", Label: "image, image/jpeg, 2 bytes", Data: "data:image/jpeg;base64,/+8="},
		},
		"in the address": {
			Block{Type: "audio", URL: "DATA:audio/mp3;base64,AAAA"},
			media{Kind: "audio", Label: "audio, audio/mpeg, 3 bytes", Data: "data:audio/mpeg;base64,AAAA"},
		},
		"an address in plain text": {
			Block{Type: "image", URL: "data:image/svg+xml,<svg/>"}, media{Kind: "image", Label: "image, image/svg+xml"},
		},
		"SVG": {
			Block{Type: "image", MIMEType: "image/svg+xml", Base64: "PHN2Zy8+"},
			media{Kind: "image", Label: "image, image/svg+xml, 6 bytes, not shown"},
		},
		"HTML that says nothing of itself": {
			Block{Type: "image", Base64: base64.StdEncoding.EncodeToString([]byte("<html><script>"))},
			media{Kind: "image", Label: "image, text/html, 14 bytes, not shown"},
		},
		"HTML as a film": {
			Block{Type: "video", MIMEType: "text/html", Base64: "AAAA"}, media{Kind: "video", Label: "video, text/html, 3 bytes, not shown"},
		},
		"a sound as an image": {
			Block{Type: "image", MIMEType: "audio/wav", Base64: "AAAA"}, media{Kind: "image", Label: "image, audio/wav, 3 bytes, not shown"},
		},
		"file": {
			Block{Type: "file", MIMEType: "image/png", Base64: pixel, Name: "a.png", ID: "f1"},
			media{Kind: "file", Label: `file, image/png, 70 bytes, not shown, "a.png"`, FileID: "f1"},
		},
		"elsewhere": {
			Block{Type: "image", URL: "https://example.com/a.png"}, media{Kind: "image", Label: "image", Address: "https://example.com/a.png"},
		},
		"no base64": {
			Block{Type: "image", MIMEType: "image/png", Base64: `" onerror="alert(1)`},
			media{Kind: "image", Label: "image, image/png, with invalid base64"},
		},
		"large": {
			Block{Type: "image", MIMEType: "image/png", Base64: large},
			media{Kind: "image", Label: "image, image/png, 4.0 MiB, too large to show"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, newMedia(tc.block)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestStateBars(t *testing.T) {
	t.Parallel()
	states := []RevisionState{
		{Status: "QUEUED", Duration: new(time.Second)}, {Status: "AWAITING_BUILD", Duration: new(time.Duration(0))},
		{Status: "BUILDING", Duration: new(2 * time.Second)}, {Status: "NOVEL", Duration: new(-time.Second)},
		{Status: "DEPLOYING", Duration: new(time.Second), Current: true}, {Status: "DEPLOYED"},
	}
	want := []stateBar{{"waiting", "0", "250"}, {"building", "250", "500"}, {"deploying", "750", "250"}}
	if diff := cmp.Diff(want, newStateBars(states)); diff != "" {
		t.Error(diff)
	}
	if bars := newStateBars(states[5:]); bars != nil {
		t.Errorf("bars without a duration = %v, want none", bars)
	}
	if kind := stateKind("CREATING"); kind != "waiting" {
		t.Errorf("stateKind(CREATING) = %s, want waiting", kind)
	}
}

// TestManyEvents checks that a page shows a limited number of events, including the first token.
func TestManyEvents(t *testing.T) {
	t.Parallel()
	v := runView()
	v.Events = make([]Event, 1000)
	v.Events[700].FirstToken = true
	page := newRunPage(v)
	if len(page.EventsShown) != maxEvents+1 || !page.EventsShown[maxEvents].FirstToken || page.EventsOmitted != 899 {
		t.Errorf("%d events shown, %d omitted; want %d with the first token last, 899 omitted", len(page.EventsShown), page.EventsOmitted, maxEvents+1)
	}
}

// TestEstimates checks that the page of a project says which figures are estimated.
func TestEstimates(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	for _, approximate := range []bool{false, true} {
		view := ProjectView{Frame: frame, Figures: &FiguresView{All: FiguresGroup{Figures: Figures{Runs: 1, Approximate: approximate}}}}
		if got := strings.Contains(render(t, p, view), "Percentiles are within 1 %."); got != approximate {
			t.Errorf("approximate %v: the page says so: %v", approximate, got)
		}
	}
	const newest = "Only matching runs among the newest 50,000 of the project are counted"
	for _, view := range []any{ProjectFiguresView{Figures: &FiguresView{Newest: 50_000}}, GroupComparisonView{Newest: 50_000}} {
		if !strings.Contains(render(t, p, view), newest) {
			t.Errorf("%T doesn't say which runs are counted", view)
		}
	}
}

// TestArtifact shortens what a revision is made of.
func TestArtifact(t *testing.T) {
	t.Parallel()
	digits := strings.Repeat("0123456789abcdef", 4)
	for reference, want := range map[string]string{
		"registry.example:5000/team/agent:1.1": "agent:1.1", "agent": "agent", "r.example.com/agent@sha256:" + digits: "agent@sha256:0123456", "the revision": "the revision",
		"": "", "feature/x at commit " + digits[:40]: "feature/x at 0123456…", "main": "main",
	} {
		if got := artifact(reference); got != want {
			t.Errorf("artifact(%q) = %q, want %q", reference, got, want)
		}
	}
}

// TestTiles checks that each figure has a tile with its value, that of the period before, the change, and a line of its values.
func TestTiles(t *testing.T) {
	t.Parallel()
	points := []Figures{{Runs: 1, TotalTokens: 10, TotalCost: "0.5"}, {Runs: 3, Errors: 1, TotalTokens: 30, TotalCost: "1"}}
	page := parsePage(t, render(t, newPages(t), ProjectView{Frame: frame, Figures: &FiguresView{Counted: "Traces", Start: moment, Step: time.Hour, All: FiguresGroup{
		Points: points, Figures: Figures{Runs: 4, Errors: 1, TotalTokens: 40, TotalCost: "1.5"}, Before: Figures{Runs: 2, TotalTokens: 80, TotalCost: "1.5"},
	}}}))
	got := map[string]string{}
	for _, tile := range page.all("dl") {
		if tile.attrs["class"] != "tiles" {
			continue
		}
		for _, card := range tile.all("div") {
			got[card.all("dt")[0].text()] = card.all("dd")[0].text() + fmt.Sprintf(", %d lines", len(card.all("path")))
		}
	}
	for tile, want := range map[string]string{
		"Traces": "4 was 2 +100 %, 1 lines", "Errors": "1 (25 %) was 0 +25 points, 1 lines", "Tokens": "40 was 80 -50 %, 1 lines", "Cost": "$1.50 was $1.50 the same, 1 lines", "Latency p50": "–, 0 lines",
	} {
		if got[tile] != want {
			t.Errorf("the tile of %s says %q, want %q", tile, got[tile], want)
		}
	}
}

// TestCharts checks that charts have the same data as the tables, at the right times.
func TestCharts(t *testing.T) {
	t.Parallel()
	page := newFiguresPart(&FiguresView{Counted: "Traces", Start: moment, Step: time.Minute, All: FiguresGroup{Points: []Figures{
		{Runs: 2, Errors: 1, TotalCost: "0.50", LatencyP50: new(time.Second)}, {Runs: 3, Errors: 1, PromptTokens: 1200}, {},
	}}})
	got := map[string][][]string{}
	for _, c := range page.Charts {
		for i, row := range c.Rows {
			if want := after(time.Duration(i) * time.Minute); !row.Start.Equal(want) {
				t.Errorf("%s: row %d starts at %v, want %v", c.ID, i, row.Start, want)
			}
			if len(row.Values) != len(c.Series) {
				t.Errorf("%s: a row has %d values, want one for each of %d series", c.ID, len(row.Values), len(c.Series))
			}
			got[c.ID] = append(got[c.ID], row.Values)
		}
		if c.SVG == "" || c.Title == "" {
			t.Errorf("%s has no drawing or no title", c.ID)
		}
	}
	want := map[string][][]string{
		"runs": {{"2"}, {"3"}, {"0"}}, "errors": {{"1 (50 %)"}, {"1 (33.3 %)"}, {"0"}},
		"tokens": {{"0", "0"}, {"1,200", "0"}, {"0", "0"}}, "cost": {{"$0.50"}, {"–"}, {"–"}},
		"latency": {{"1.00 s", "–", "–"}, {"–", "–", "–"}, {"–", "–", "–"}}, "first-token": {{"–", "–", "–"}, {"–", "–", "–"}, {"–", "–", "–"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(string(page.Charts[3].SVG), "cost is $0.5<") {
		t.Errorf("the chart lacks the cost $0.5: %s", page.Charts[3].SVG)
	}
	if none := newFiguresPart(&FiguresView{}); none.Charts != nil {
		t.Errorf("%d charts without points, want none", len(none.Charts))
	}
}

// TestGroupedCharts checks that charts have a line for each of the first groups.
func TestGroupedCharts(t *testing.T) {
	t.Parallel()
	view := &FiguresView{Start: moment, Step: time.Minute, All: FiguresGroup{Points: []Figures{{}}}, GroupedBy: "tag"}
	if page := newFiguresPart(view); page.Charts != nil {
		t.Errorf("%d charts without groups, want none", len(page.Charts))
	}
	for i := range int64(6) {
		view.Groups = append(view.Groups, FiguresGroup{Name: fmt.Sprint("tag ", i), Points: []Figures{{Runs: i}}})
	}
	page := newFiguresPart(view)
	if diff := cmp.Diff([]string{"tag 0", "tag 1", "tag 2", "tag 3"}, page.Charts[0].Series); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"0", "1", "2", "3"}, page.Charts[0].Rows[0].Values); diff != "" {
		t.Errorf("numbers of traces (-want +got):\n%s", diff)
	}
}

// TestChange checks how much a figure has grown.
func TestChange(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	for _, tc := range []struct {
		before, now float64
		rate        bool
		want        string
	}{
		{1, 1, false, "the same"}, {0, 0, false, "the same"}, {0, 3, false, ""}, {100, 112, false, "+12 %"}, {100, 95, false, "-5.0 %"},
		{1, 0, false, "-100 %"}, {2, 20, false, "+900 %"}, {1, nan, false, ""}, {2, 4.5, true, "+2.5 points"}, {0, 12, true, "+12 points"},
	} {
		if got := change(tc.before, tc.now, tc.rate); got != tc.want {
			t.Errorf("change(%v, %v) = %q, want %q", tc.before, tc.now, got, tc.want)
		}
	}
}

// TestZone checks that a page has its times in the time zone that it names, and that zones are those of the database only.
func TestZone(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	in := frame
	in.Zone = "Asia/Tokyo"
	text := render(t, p, ProjectView{
		Frame: in, Project: ProjectSummary{ID: "p1", StartTime: moment, LastRunTime: moment}, Runs: runList(),
		Figures: &FiguresView{Counted: "Traces", Start: moment, Step: time.Hour, All: FiguresGroup{Points: []Figures{{Runs: 1}}}},
	})
	for _, want := range []string{"2026-05-02 19:00:00 JST</time>", `data-zone="Asia/Tokyo">All times are in Asia/Tokyo.`, "May 2 19:00 JST, traces 1", `datetime="2026-05-02T10:00:00.25Z"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the page doesn't contain %s", want)
		}
	}
	if strings.Contains(text, " UTC<") {
		t.Error("the page has a time in UTC")
	}
	for name, valid := range map[string]bool{"": true, "UTC": true, "Europe/Berlin": true, "Local": false, "../../etc/passwd": false, "/etc/localtime": false, "Nowhere": false} {
		if _, err := Zone(name); (err == nil) != valid {
			t.Errorf("Zone(%q): %v, want it to be valid: %v", name, err, valid)
		}
	}
}

func ExamplePaths() {
	fmt.Println(Frame{Base: "/ui"}.Paths().Run("01a1fb6f"))
	// Output: /ui/runs/01a1fb6f
}

// FuzzContents renders arbitrary contents of a run.
func FuzzContents(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,{"b":null}]}`, `[{"type":"url_citation","url_citation":{"url":"javascript:1"}}]`, "data:image/png;base64,AA==", "[", "]]]]", "\xff",
		`"\\"`, strings.Repeat("[", 20_000), strings.Repeat("[", 3000) + strings.Repeat("1,", 3000),
	} {
		f.Add([]byte(seed), seed, seed)
	}
	f.Fuzz(func(t *testing.T, raw []byte, kind, url string) {
		if text := newJSONText(raw); len(text.Text) > 4*maxJSON || !utf8.ValidString(text.Text) || text.Omitted < 0 {
			t.Errorf("text of %d bytes, %d omitted; want a limited length, valid UTF-8 and no negative number", len(text.Text), text.Omitted)
		}
		newAnnotations(raw)
		for _, block := range []string{"image", "audio", "video", "file", kind} {
			new(conversation).newBlock(Block{Type: block, Base64: string(raw), URL: url, MIMEType: kind, Annotations: raw})
		}
	})
}
