package chaos

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// updateTexts writes the texts of a run to the golden file: a run of all cells replaces them, any other one adds to them.
var updateTexts = flag.Bool("update", false, "write the texts that the run reports to testdata/texts.golden")

var textsFile = filepath.Join("testdata", "texts.golden")

// varying matches what differs between cells, in this order, with the words for it.
var varying = []struct {
	pattern *regexp.Regexp
	words   string
}{
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "ID"},
	{regexp.MustCompile(`m-\d{5}`), "NAME"},
	{regexp.MustCompile(`https?://127\.\d+\.\d+\.\d+:\d+`), "URL"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT[\d:.]+Z`), "DATE"},
	{regexp.MustCompile(`\b(?:\d+h)?(?:\d+m)?\d+(?:\.\d+)?(?:m|µ|n)?s\b`), "TIME"},
	{regexp.MustCompile(`(?i)(status:?) \d{3}`), "$1 N"},
	{regexp.MustCompile(` · request id: \S+| \(request ID [^)]+\)`), ""},
	{regexp.MustCompile(` \(after \d attempts\)`), ""},
	// What the service, or what is in front of it, says.
	{regexp.MustCompile(`\b(?:GET|POST|PUT|PATCH|DELETE) /\S*[^\s:,;.]`), "METHOD /PATH"},
	{regexp.MustCompile(`METHOD /PATH: \d{3}[^:.(;]*`), "METHOD /PATH: STATUS"},
	{regexp.MustCompile(`injected \d{3}|(?:Deployment|Run|Listener|OAuth provider)[\w -]* not found|METHOD /PATH was refused without an explanation|` +
		`an HTML page instead of JSON; check (?:\w+ and )?any proxy: Gateway|METHOD /PATH returned a web page \("Gateway"\) instead of a response of the control plane|` +
		`no response: (?:EOF|the response broke off)|[Tt]he response (?:is|has|broke) [^;.]*(?:; check \w+)?|[Ii]tem \d of the list: [^;.]*`), "CAUSE"},
	{regexp.MustCompile(`[Rr]edirected to https://login\.example\.com, which is not followed because it would take the credentials there`), "CAUSE"},
	{regexp.MustCompile(`METHOD /PATH: (?:STATUS: )?CAUSE|METHOD /PATH: STATUS\b`), "CAUSE"},
	{regexp.MustCompile(`(?:deploy|build) log: .*? (Fix|The)`), "LOG $1"},
	// Which object it is.
	{regexp.MustCompile(`: Cannot [a-z]+ [^—]*"[^"—]+" —`), ": Cannot … OBJECT —"},
	{regexp.MustCompile(`: Cannot [a-z]+ [^—"]*[A-Z]+ —`), ": Cannot … OBJECT —"},
	{regexp.MustCompile(`([Ww])hether [\w ]+ "?(?:ID|NAME|[a-z]+)"? was (created|changed)`), "${1}hether OBJECT was $2"},
	{regexp.MustCompile(`that \w+ exists yet`), "that KEY exists yet"},
	{regexp.MustCompile(`under this \w+`), "under this KEY"},
	{regexp.MustCompile(`if the \w+ is then taken, import the [\w ]+ that`), "if the KEY is then taken, import the OBJECT that"},
	{regexp.MustCompile(`source_config\.\w+|Looking up name`), "ARGUMENT"},
	{regexp.MustCompile(`base_url \(AGENTPLANE_BASE_URL\)|tracing_url \(AGENTPLANE_TRACING_URL\)`), "base_url"},
}

// following are texts that follow many others, which have lines of their own.
var following = regexp.MustCompile(`(?:[.;]|Status: N) ([Ww]hether OBJECT was |Reading the deployment doesn't show the change|The deployment was created without it)`)

// normal is a diagnostic in lines: what it says, and what follows.
func normal(d *tfprotov6.Diagnostic) []string {
	severity := strings.ToLower(d.Severity.String())
	text := strings.Join(strings.Fields(fmt.Sprintf("%s: %s — %s", severity, d.Summary, d.Detail)), " ")
	for _, each := range varying {
		text = each.pattern.ReplaceAllString(text, each.words)
	}
	text = strings.ReplaceAll(text, "CAUSE (CAUSE", "CAUSE")
	if at := following.FindStringSubmatchIndex(text); at != nil {
		return []string{strings.TrimRight(text[:at[2]], " .;") + ". …", severity + ": … " + strings.ToUpper(text[at[2]:at[2]+1]) + text[at[2]+1:]}
	}
	return []string{text}
}

var (
	// advice matches what to do next.
	advice = regexp.MustCompile(`(?i)\b(apply|plan|check|set|use|import|remove|choose|report|fix|correct|make|look|next plan|next apply)\b`)
	// vague matches a text that doesn't say to what something happened.
	vague = regexp.MustCompile(`""|^\w+: Cannot \w+ —|<nil>|api\.[A-Z]|json:`)
)

// problemIn says what a line of the golden file lacks: what to do next, or to what it happened.
func problemIn(line string) string {
	switch {
	case strings.HasPrefix(line, "error: ") && !strings.HasSuffix(line, ". …") && !advice.MatchString(line):
		return "doesn't say what to do next"
	case vague.MatchString(line):
		return "names nothing, or a type of Go"
	case detailLength(line) > longest:
		return fmt.Sprintf("has more than %d characters", longest)
	}
	return ""
}

// longest is how many characters a detail may have.
const longest = 600

// detailLength returns the length of the detail in a line.
func detailLength(line string) int {
	_, detail, _ := strings.Cut(line, " — ")
	return utf8.RuneCountInString(detail)
}

// says collects the diagnostics of a cell.
func (r *matrixReport) says(operation string, diags []*tfprotov6.Diagnostic) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, d := range diags {
		if length := utf8.RuneCountInString(d.Detail); length > longest {
			r.long[d.Detail] = operation
		}
		for _, line := range normal(d) {
			if r.texts[line] == "" {
				r.texts[line] = operation
			}
		}
	}
}

// compareTexts expects each text of the sample in the golden file, which a person can read in ten minutes. Runs with more cells print what the
// file lacks.
func (r *matrixReport) compareTexts(t *testing.T) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	golden, err := os.ReadFile(textsFile)
	if err != nil && !*updateTexts {
		t.Fatal(err)
	}
	known := strings.Split(strings.TrimSpace(string(golden)), "\n")
	if *updateTexts {
		all := maps.Clone(r.texts)
		if r.runs < r.total/2 {
			for _, line := range known {
				all[line] = textsFile
			}
		}
		delete(all, "")
		known = slices.Sorted(maps.Keys(all))
		if err := os.WriteFile(textsFile, []byte(strings.Join(known, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range slices.Sorted(maps.Keys(r.texts)) {
		switch {
		case slices.Contains(known, line):
		case os.Getenv("FAULTS") != "" || r.stories != nil:
			fmt.Fprintf(os.Stdout, "%s has no line %q, which %s reports: read it, and add it with -update\n", textsFile, line, r.texts[line])
		default:
			t.Errorf("%s has no line %q, which %s reports: read it, and add it with -update", textsFile, line, r.texts[line])
		}
		if problem := problemIn(line); problem != "" {
			t.Errorf("%s %s: %s", r.texts[line], problem, line)
		}
	}
	for _, detail := range slices.Sorted(maps.Keys(r.long)) {
		t.Errorf("%s: a detail of %d characters: %s", r.long[detail], utf8.RuneCountInString(detail), detail)
	}
	for _, line := range known {
		if problem := problemIn(line); problem != "" {
			t.Errorf("%s: %s: %s", textsFile, problem, line)
		}
	}
}

func TestMatrixTexts(t *testing.T) {
	t.Parallel()
	told := func(detail string) []string {
		return normal(&tfprotov6.Diagnostic{Severity: tfprotov6.DiagnosticSeverityError, Summary: `Cannot create deployment "m-00012"`, Detail: detail})
	}
	got := told("POST /v2/deployments: 502 Bad Gateway: injected 502; whether deployment \"m-00012\" was created is unknown (nothing with that name " +
		"exists yet): it may still appear under this name, so apply again in a minute, and if the name is then taken, import the deployment that has it.")
	want := []string{
		"error: Cannot … OBJECT — CAUSE. …", "error: … Whether OBJECT was created is unknown (nothing with that KEY exists yet): it may still appear " +
			"under this KEY, so apply again in a minute, and if the KEY is then taken, import the OBJECT that has it.",
	}
	if !slices.Equal(got, want) {
		t.Errorf("lines = %q, want %q", got, want)
	}
	for line, want := range map[string]string{
		"error: Cannot … OBJECT — It failed.":                          "doesn't say what to do next",
		"error: Cannot … OBJECT — It failed. Apply again.":             "",
		"warning: Cannot … OBJECT — It failed.":                        "",
		`error: Cannot read deployment "" — It failed. Apply again.`:   "names nothing, or a type of Go",
		"error: Cannot … OBJECT — field of type api.Run. Apply again.": "names nothing, or a type of Go",
		"error: Cannot … OBJECT — " + strings.Repeat("Plan. ", 100):    "",
		"error: Cannot … OBJECT — " + strings.Repeat("Plan. ", 101):    "has more than 600 characters",
	} {
		if got := problemIn(line); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}
