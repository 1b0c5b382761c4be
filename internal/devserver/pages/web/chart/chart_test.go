package chart

import (
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the goldens of drawings anew")

var nan = math.NaN()

func draw(bars bool, series ...Series) Chart {
	return Chart{
		Title: "<Cost> & more", Format: func(v float64) string { return "$" + strconv.FormatFloat(v, 'f', -1, 64) },
		Start: time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC), Step: time.Hour, Series: series, Bars: bars,
	}
}

// parts returns the elements of a drawing by name. It fails the test if the drawing isn't well-formed, or has NaN or infinite numbers.
func parts(t *testing.T, c Chart) map[string][]xml.StartElement {
	t.Helper()
	svg := string(c.SVG())
	all := map[string][]xml.StartElement{}
	decoder := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("%s: %s", err, svg)
		}
		start, is := token.(xml.StartElement)
		if !is {
			continue
		}
		all[start.Name.Local] = append(all[start.Name.Local], start.Copy())
		for _, attr := range start.Attr {
			if strings.Contains(attr.Value, "NaN") || strings.Contains(attr.Value, "Inf") {
				t.Errorf("element %s has %s = %s, want finite numbers", start.Name.Local, attr.Name.Local, attr.Value)
			}
			if attr.Name.Local == "style" {
				t.Errorf("element %s has a style attribute, which the content security policy forbids", start.Name.Local)
			}
		}
	}
}

// attributes returns the values of one attribute of all elements.
func attributes(all []xml.StartElement, name string) []string {
	var values []string
	for _, element := range all {
		for _, attr := range element.Attr {
			if attr.Name.Local == name {
				values = append(values, attr.Value)
			}
		}
	}
	return values
}

// The columns are 58.8 wide and start at 58.
func TestLine(t *testing.T) {
	t.Parallel()
	all := parts(t, draw(false, Series{"total", []float64{1, 2, nan, 4, nan}}, Series{"none", []float64{nan}}))
	want := map[string][]string{
		"d":  {"M100 119.5L156 83"},
		"cx": {"268"}, "cy": {"10"},
		"class": {"series-0", "series-0"},
	}
	drawings := slices.Concat(all["path"], all["circle"])
	got := map[string][]string{}
	for name := range want {
		got[name] = attributes(drawings, name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestLineInterrupted(t *testing.T) {
	t.Parallel()
	all := parts(t, draw(false, Series{"total", []float64{1, 2, math.Inf(1), 3, 4, 4}}))
	if d := attributes(all["path"], "d"); len(d) != 1 || strings.Count(d[0], "M") != 2 || strings.Count(d[0], "L") != 3 {
		t.Errorf("path = %q, want two parts, with one and two segments", d)
	}
}

func TestBars(t *testing.T) {
	t.Parallel()
	all := parts(t, draw(true, Series{"runs", []float64{2, 0, 4}}, Series{"errors", []float64{nan, -1, 1}}))
	all["rect"] = all["rect"][:3] // The others are targets.
	want := map[string][]string{
		"class": {"series-0", "series-0", "series-1"},
		// The largest bar is as high as the drawing.
		"height": {"73", "146", "36.5"},
		"y":      {"83", "10", "119.5"},
		// The bars of a column touch each other, and leave a fifth of it empty.
		"x":     {"81.33", "268", "305.33"},
		"width": {"37.33", "37.33", "37.33"},
	}
	for name, values := range want {
		if diff := cmp.Diff(values, attributes(all["rect"], name)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestOddValues checks that any values result in a valid drawing.
func TestOddValues(t *testing.T) {
	t.Parallel()
	for name, values := range map[string][]float64{
		"none": nil, "no value": {nan, nan}, "zero": {0, 0}, "below zero": {-3, -4}, "infinite": {math.Inf(1), math.Inf(-1)},
		"tiny": {math.SmallestNonzeroFloat64}, "huge": {math.MaxFloat64 / 1e9}, "mixed": {nan, math.Inf(1), 1e-9, 1e9},
	} {
		for _, bars := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				if all := parts(t, draw(bars, Series{"s", values})); len(all["svg"]) != 1 || len(all["line"]) < 2 {
					t.Errorf("%d svg elements with %d grid lines, want 1 with at least 2", len(all["svg"]), len(all["line"]))
				}
			})
		}
	}
	if all := parts(t, draw(true)); len(all["rect"])+len(all["path"]) != 0 {
		t.Errorf("a chart without series has %v, want no rect or path", all)
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		series []Series
		want   string
	}{
		"no series": {nil, "nothing to show"},
		"no values": {[]Series{{"p50", []float64{nan}}}, "p50 has no values"},
		"one value": {[]Series{{"p50", []float64{2, 2, nan}}}, "p50 is $2"},
		"several": {
			[]Series{{"p50", []float64{2, nan, 1}}, {"p99", []float64{math.Inf(1), 3}}}, "p50 from $1 to $2; p99 is $3",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, draw(false, tc.series...).Summary()); diff != "" {
				t.Error(diff)
			}
		})
	}
	if got := (Chart{Series: []Series{{"n", []float64{0.125}}}}).Summary(); got != "n is 0.13" {
		t.Errorf("summary without a format = %q, want \"n is 0.13\"", got)
	}
}

// TestEscaped checks that names can't become markup.
func TestEscaped(t *testing.T) {
	t.Parallel()
	c := draw(false, Series{`"><script>alert(1)</script>`, []float64{1}})
	c.Title = `</title><script>alert(2)</script>`
	c.Links = []string{`/x"><script>alert(3)</script>`}
	c.Format = func(float64) string { return `</text><image href="x"/>` }
	all := parts(t, c)
	for name := range all {
		switch name {
		case "svg", "title", "line", "text", "circle", "a", "g", "rect":
		default:
			t.Errorf("unexpected element %s: %s", name, c.SVG())
		}
	}
}

// TestTargets checks that each point in time says its values, and leads where it should.
func TestTargets(t *testing.T) {
	t.Parallel()
	c := draw(true, Series{"runs", []float64{2, 0, 4}}, Series{"errors", []float64{nan, 1}})
	c.Links = []string{"/a?b=c&d=e", ""}
	svg := string(c.SVG())
	for _, want := range []string{
		`<a href="/a?b=c&amp;d=e#runs" tabindex="-1"><title data-at="2026-05-02T10:00:00Z">May 2 10:00 UTC, runs $2</title><rect class="hit" x="72" y="10" width="93.33" height="146"/></a>`,
		`<g><title data-at="2026-05-02T11:00:00Z">May 2 11:00 UTC, runs $0, errors $1</title>`, `<g><title data-at="2026-05-02T12:00:00Z">May 2 12:00 UTC, runs $4</title>`,
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("the drawing doesn't contain %s:\n%s", want, svg)
		}
	}
}

func TestTimes(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		points int
		step   time.Duration
		want   []string
	}{
		"hours of a day": {24, time.Hour, []string{"10:00", "16:00", "22:00", "04:00"}},
		"days":           {7, 24 * time.Hour, []string{"May 2", "May 4", "May 6", "May 8"}},
		"few":            {2, time.Minute, []string{"10:00", "10:01"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := draw(false, Series{"s", make([]float64, tc.points)})
			c.Step = tc.step
			var b strings.Builder
			c.times(&b)
			var got []string
			for label := range strings.SplitSeq(b.String(), "</text>") {
				if _, text, some := strings.Cut(label, ">"); some {
					got = append(got, text)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestGolden(t *testing.T) {
	t.Parallel()
	lines := draw(false, Series{"p50", []float64{0.2, 0.4, nan, 0.3}}, Series{"p99", []float64{1, 2.2, nan, 1.1}})
	lines.Title = "Latency"
	bars := draw(true, Series{"runs", []float64{3, 0, 2}}, Series{"errors", []float64{1, 0, 0}})
	bars.Title, bars.Format, bars.Whole = "Runs", nil, true
	for name, c := range map[string]Chart{"lines": lines, "bars": bars} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join("testdata", name+".svg")
			got := strings.ReplaceAll(string(c.SVG()), "><", ">\n<") + "\n"
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSpark(t *testing.T) {
	t.Parallel()
	for want, values := range map[string][]float64{
		"": nil, "M0 23L50 12L100 1": {0, 2, 4}, "M0 1M100 12": {8, nan, 4}, "M0 1": {3},
	} {
		if got := Spark(values); got != want {
			t.Errorf("Spark(%v) = %q, want %q", values, got, want)
		}
	}
	if got := Spark([]float64{0, 0, nan}); got != "" {
		t.Errorf("without anything to show, Spark = %q", got)
	}
}
