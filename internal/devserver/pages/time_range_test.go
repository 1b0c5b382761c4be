package pages_test

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// logAt logs traces that start at times, and are named after them. It returns the path of their project. It is 10:00 on the second of May.
func logAt(t *testing.T, p *plane, times ...string) (project string) {
	t.Helper()
	var all []any
	for i, at := range times {
		started, err := time.Parse(time.RFC3339, at)
		devservertest.Must(t, err)
		all = append(all, devservertest.RootRun(object{
			"name": at, "session_name": "ranges", "start_time": at, "end_time": started.Add(time.Duration(i+1) * time.Second).Format(time.RFC3339),
			"run_type": "llm", "outputs": object{"usage_metadata": object{"input_tokens": 1, "output_tokens": 1, "total_cost": float64(i+1) / 100}},
		}))
	}
	p.Do(http.MethodPost, "/runs/batch", object{"post": all}).Want(http.StatusAccepted)
	return "/ui/projects/" + devservertest.Get[[]object](p, "/sessions?name=ranges")[0]["id"].(string)
}

// TestRanges checks which traces the ranges have, in several time zones.
func TestRanges(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).As()
	project := logAt(t, p,
		"2026-03-28T22:30:00Z", "2026-03-28T23:30:00Z", "2026-03-29T21:30:00Z", "2026-03-29T22:30:00Z", // Around the short day of Berlin.
		"2026-04-30T14:59:59Z", "2026-04-30T15:00:00Z", "2026-05-01T10:59:00Z", "2026-05-01T11:00:00Z", "2026-05-01T14:59:00Z", "2026-05-01T15:00:00Z",
		"2026-05-01T22:59:00Z", "2026-05-01T23:00:00Z", "2026-05-02T09:30:00Z")
	for query, want := range map[string][]string{
		"?range=1h":                       {"2026-05-02T09:30:00Z"},
		"?range=today":                    {"2026-05-02T09:30:00Z"},
		"?range=yesterday&tz=Asia/Tokyo":  {"2026-04-30T15:00:00Z", "2026-05-01T10:59:00Z", "2026-05-01T11:00:00Z", "2026-05-01T14:59:00Z"},
		"?range=last-night&tz=Asia/Tokyo": {"2026-05-01T11:00:00Z", "2026-05-01T14:59:00Z", "2026-05-01T15:00:00Z", "2026-05-01T22:59:00Z"},
		"?range=yesterday": {
			"2026-05-01T10:59:00Z", "2026-05-01T11:00:00Z", "2026-05-01T14:59:00Z", "2026-05-01T15:00:00Z", "2026-05-01T22:59:00Z", "2026-05-01T23:00:00Z",
		},
		"?from=2026-03-29&to=2026-03-30T00:00&tz=Europe/Berlin":         {"2026-03-28T23:30:00Z", "2026-03-29T21:30:00Z"},
		"?from=2026-05-01T11:00:00Z&to=2026-05-01T15:00:00Z&range=7d":   {"2026-05-01T11:00:00Z", "2026-05-01T14:59:00Z"},
		"?from=2026-05-01T20:00:00%2B09:00&to=2026-05-01T23:59:30&tz=x": {"2026-05-01T11:00:00Z", "2026-05-01T14:59:00Z", "2026-05-01T15:00:00Z", "2026-05-01T22:59:00Z", "2026-05-01T23:00:00Z"},
		"?from=2026-05-02T09:00":                                        {"2026-05-02T09:30:00Z"},
		"?to=2026-03-29T00:00:00Z":                                      {"2026-03-28T22:30:00Z", "2026-03-28T23:30:00Z"},
	} {
		got := listed(read(p, project+query))
		slices.Sort(got)
		devservertest.Same(t, query, want, got)
	}
	for query, want := range map[string]string{
		"?range=yesterday&tz=Asia/Tokyo":                        "Runs, yesterday (2026-05-01 00:00 to 2026-05-02 00:00 Asia/Tokyo)",
		"?from=2026-05-01&to=2026-05-02":                        "Runs, 2026-05-01 00:00 to 2026-05-02 00:00 UTC",
		"?from=soon":                                            "from is not a time: write 2026-05-02T18:00",
		"?from=2026-05-02&to=2026-05-01":                        "the range ends before it starts",
		"?from=0000-01-01":                                      "from is not a time",
		"?tz=Nowhere":                                           "unknown time zone: write a name such as Europe/Berlin or UTC",
		"?tz=Local":                                             "unknown time zone",
		"?from=1970-01-01&to=2026-05-02":                        "Runs, 1970-01-01 00:00 to 2026-05-02 00:00 UTC",
		"?range=yesterday&tz=Asia/Tokyo&q=x&scope=all":          `<input type="hidden" name="tz" value="Asia/Tokyo"/>`,
		"?range=yesterday&tz=Asia/Tokyo&q=x&scope=all&by=model": `<input type="hidden" name="by" value="model"/>`,
	} {
		if text := read(p, project+query); !strings.Contains(text, want) {
			t.Errorf("%s: the page doesn't contain %s", query, want)
		}
	}
	for _, page := range []string{"/ui/projects", project + "/feedback", project + "/threads"} {
		if text := read(p, page+"?range=last-night&tz=Asia/Tokyo"); !strings.Contains(text, `aria-current="true" data-by-day="day">last night`) {
			t.Errorf("%s doesn't have the range", page)
		}
	}
}

// TestPoints checks that each point of a chart leads to its traces.
func TestPoints(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).As()
	project := logAt(t, p, "2026-05-02T07:10:00Z", "2026-05-02T07:50:00Z", "2026-05-02T08:10:00Z")
	text := read(p, project)
	link := regexp.MustCompile(`<a href="([^"]+)#runs" tabindex="-1"><title data-at="2026-05-02T07:00:00Z">May 2 07:00 UTC, traces 2</title>`).FindStringSubmatch(text)
	if link == nil {
		t.Fatalf("the chart has no point of 7:00 with 2 traces:\n%s", regexp.MustCompile(`<title[^>]*>May 2 0[78]:00[^<]*</title>`).FindAllString(text, -1))
	}
	if got := listed(read(p, link[1])); !cmp.Equal(got, []string{"2026-05-02T07:50:00Z", "2026-05-02T07:10:00Z"}) {
		t.Errorf("the point leads to %q, want the two traces after 7:00", got)
	}
	contains(t, text, "May 2 07:00 UTC, p50 1.5 s, p95 1.95 s, p99 1.99 s", "<dt>Latency p50</dt><dd>2.00 s</dd>", "<dt>Latency p99</dt><dd>2.98 s</dd>", `#runs"><time datetime="2026-05-02T07:00:00Z"`)
}

// TestPreviousPeriod checks that a period is compared with the one of the same length before it.
func TestPreviousPeriod(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).As()
	project := logAt(t, p, "2026-05-01T05:00:00Z", "2026-05-01T15:00:00Z", "2026-05-02T01:00:00Z", "2026-05-02T02:00:00Z", "2026-05-02T03:00:00Z")
	const period = "?from=2026-05-02T00:00&to=2026-05-02T10:00"
	contains(t, read(p, project+period), // The period before begins at 14:00.
		`<dt>Traces</dt><dd>3 <span class="note" title="in the previous period of the same length">was 1</span> <span class="note">+200 %</span>`,
		`<dt>Latency p50</dt><dd>4.00 s <span class="note" title="in the previous period of the same length">was 2.00 s</span> <span class="note">+100 %</span>`,
		`<dt>Cost</dt><dd>$0.12 <span class="note" title="in the previous period of the same length">was $0.02</span> <span class="note">+500 %</span>`,
		`<dt>Errors</dt><dd>0 <span class="note" title="in the previous period of the same length">was 0</span> <span class="note">the same</span>`,
	)
}

// TestByRevision checks that traces can be compared by the revision that made them.
func TestByRevision(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).As()
	for i, revision := range []string{"rev-a", "rev-b", "rev-b"} {
		run := devservertest.RootRun(object{"session_name": "ranges", "start_time": "2026-05-02T09:00:00Z", "end_time": "2026-05-02T09:00:0" + string(rune('1'+i)) + "Z",
			"extra": object{"metadata": object{"revision_id": revision}}})
		p.Do(http.MethodPost, "/runs", run).Want(http.StatusAccepted)
	}
	project := "/ui/projects/" + devservertest.Get[[]object](p, "/sessions?name=ranges")[0]["id"].(string)
	contains(t, read(p, project+"/figures?by=revision"),
		project+`?q=revision%3Arev-b#runs">rev-b</a></th><td class="number">2</td>`, `>rev-a</a></th><td class="number">1</td>`, "rev-b 2, rev-a 1")
}

// TestMostExpensiveOfYesterday_unraced finds the most expensive trace of yesterday in two clicks: with scripts, of the viewer's day, and
// without, of that in UTC.
func TestMostExpensiveOfYesterday_unraced(t *testing.T) {
	t.Parallel()
	devservertest.StartBudget(t, "the most expensive trace in Chromium", 20*time.Second)
	p := devservertest.New(t, devserver.Config{}).As()
	project := logAt(t, p, "2026-04-30T16:00:00Z", "2026-05-01T11:00:00Z", "2026-05-01T08:00:00Z", "2026-05-01T20:00:00Z", "2026-05-02T09:00:00Z")
	want := map[bool]string{true: "2026-05-01T08:00:00Z", false: "2026-05-01T20:00:00Z"} // With scripts, yesterday ends at 15:00 UTC.
	onScreens(t, func(b *tab) {
		if b.scripts {
			call(b, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "Asia/Tokyo"})
		}
		b.open(p.Web.URL + project)
		b.follow("yesterday", "yesterday (2026-05-01 00:00 to 2026-05-02 00:00") // 1
		b.follow("Cost", want[b.scripts])                                        // 2
		if ticks := value[[]string](b, `[...document.querySelectorAll("#chart-runs .tick[data-at]")].map(t => t.textContent)`); ticks[0] != "00:00" {
			t.Errorf("marks of the chart = %q, want them to begin with the day", ticks)
		}
		first := value[string](b, `document.querySelector("table.runs tbody th a").textContent`)
		if first != want[b.scripts] {
			t.Errorf("scripts %v: the first trace is %s, want %s", b.scripts, first, want[b.scripts])
		}
		b.sees(want[b.scripts])
		if zone, err := url.QueryUnescape(value[string](b, `location.search`)); b.scripts && (err != nil || !strings.Contains(zone, "tz=Asia/Tokyo")) {
			t.Errorf("address %q, want it to name the time zone", zone)
		}
	})
}

// TestDrawRange_unraced draws across a chart, and gets the traces between the two points; a click leads to those of one.
func TestDrawRange_unraced(t *testing.T) {
	t.Parallel()
	devservertest.StartBudget(t, "drawing a range in Chromium", 15*time.Second)
	p := devservertest.New(t, devserver.Config{}).As()
	project := logAt(t, p, "2026-05-02T05:10:00Z", "2026-05-02T06:10:00Z", "2026-05-02T07:10:00Z", "2026-05-02T08:10:00Z")
	b := newTab(devservertest.NewBrowser(t), t)
	b.do(chromedp.EmulateViewport(1440, 900))
	for _, tc := range []struct {
		from, to string
		want     []string
	}{
		{"06:00", "07:00", []string{"2026-05-02T07:10:00Z", "2026-05-02T06:10:00Z"}}, {"07:00", "05:00", []string{"2026-05-02T07:10:00Z", "2026-05-02T06:10:00Z", "2026-05-02T05:10:00Z"}},
		{"08:00", "08:00", []string{"2026-05-02T08:10:00Z"}},
	} {
		b.open(p.Web.URL + project)
		at := func(hour string) []float64 {
			return value[[]float64](b, `(box => [box.left + box.width / 2, box.top + box.height / 2])([...document.querySelectorAll("#chart-runs a")]
				.find(a => a.querySelector("title").dataset.at === "2026-05-02T`+hour+`:00Z").getBoundingClientRect())`)
		}
		b.do(discard(chromedp.Evaluate[bool](`(document.querySelector("#chart-runs").scrollIntoView(), true)`)))
		from, to := at(tc.from), at(tc.to)
		for _, event := range []input.DispatchMouseEventParams{
			{Type: input.DispatchMouseEventTypeMousePressed, X: from[0], Y: from[1], Button: input.MouseButtonLeft, ClickCount: 1}, {Type: input.DispatchMouseEventTypeMouseMoved, X: to[0], Y: to[1], Button: input.MouseButtonLeft},
			{Type: input.DispatchMouseEventTypeMouseReleased, X: to[0], Y: to[1], Button: input.MouseButtonLeft, ClickCount: 1},
		} {
			call(b, input.DispatchMouseEvent, event)
		}
		b.until(`location.search.includes("from=")`)
		if got := value[[]string](b, `[...document.querySelectorAll("table.runs tbody th a")].map(a => a.textContent)`); !cmp.Equal(got, tc.want) {
			t.Errorf("from %s to %s: %q, want %q", tc.from, tc.to, got, tc.want)
		}
	}
}
