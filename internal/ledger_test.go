package internal_test

import (
	"fmt"
	"go/ast"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// statement is a row of a ledger: what a section of a specification says, and what holds it. The head of
// testdata/ledger/control-plane.md explains the cells.
type statement struct {
	where                          string // file and line
	section                        string
	text, request, attribute, test string
}

// readLedger reads the tables below the headings of a ledger. A row that doesn't fit is an error.
func readLedger(name, text string) (rows []statement, broken []string) {
	section, number := "", 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		where := fmt.Sprintf("%s:%d", name, number)
		if title, is := strings.CutPrefix(line, "## "); is {
			section = title
		}
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "| ---") || strings.HasPrefix(line, "| Statement |") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if len(cells) != 4 {
			broken = append(broken, fmt.Sprintf("%s: the row has %d cells, want 4", where, len(cells)))
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		rows = append(rows, statement{where, section, cells[0], cells[1], cells[2], cells[3]})
	}
	return rows, broken
}

// repositoryFacts are what the cells of a ledger may refer to.
type repositoryFacts struct {
	serves     func(method, path string) bool
	fields     map[string]bool // JSON names that occur in the code
	attributes map[string]bool // as Terraform refers to them: agentplane_deployment.name, data.agentplane_deployment.name
	tests      map[string]*ast.FuncDecl
}

// brokenLedger lists empty cells, references to what doesn't exist, and statements that occur twice.
func brokenLedger(rows []statement, facts repositoryFacts) []string {
	var broken []string
	seen := map[string]string{}
	for _, row := range rows {
		report := func(format string, args ...any) {
			broken = append(broken, row.where+": "+fmt.Sprintf(format, args...))
		}
		for cell, text := range map[string]string{
			"section": row.section, "statement": row.text, "request": row.request, "attribute": row.attribute, "test": row.test,
		} {
			if reason, is := strings.CutPrefix(text, "none:"); text == "" || is && strings.TrimSpace(reason) == "" {
				report("the %s is empty", cell)
			}
		}
		if first, twice := seen[strings.ToLower(row.text)]; twice {
			report("the statement is already at %s", first)
		}
		seen[strings.ToLower(row.text)] = row.where
		for _, request := range references(row.request, "; ") {
			for _, problem := range facts.brokenRequest(request) {
				report("%s", problem)
			}
		}
		for _, attribute := range references(row.attribute, " ") {
			if !facts.attributes[attribute] {
				report("no schema has %s", attribute)
			}
		}
		for test := range strings.FieldsSeq(row.test) {
			if problem := facts.brokenTest(test); problem != "" {
				report("%s", problem)
			}
		}
	}
	slices.Sort(broken)
	return broken
}

// references splits a cell, unless it says why it has none.
func references(cell, separator string) []string {
	if cell == "" || strings.HasPrefix(cell, "none:") {
		return nil
	}
	return strings.Split(cell, separator)
}

// brokenRequest checks a request like "PATCH /v2/deployments/{deployment_id} name, source_config.repo_url".
func (f repositoryFacts) brokenRequest(request string) []string {
	method, rest, _ := strings.Cut(request, " ")
	at, fields, _ := strings.Cut(rest, " ")
	var broken []string
	if !f.serves(method, at) {
		broken = append(broken, fmt.Sprintf("the dev server doesn't serve %q", method+" "+at))
	}
	for _, field := range references(fields, ", ") {
		for step := range strings.SplitSeq(strings.ReplaceAll(field, "[]", ""), ".") {
			if !f.fields[step] {
				broken = append(broken, fmt.Sprintf("no code has the field %q of %s", step, field))
			}
		}
	}
	return broken
}

// brokenTest checks a test like "client.TestHosts/neutral": the package below internal, the function, and a text in it that names
// a case, as go test spells subtests.
func (f repositoryFacts) brokenTest(test string) string {
	name, rest, is := strings.Cut(test, ".Test")
	if !is {
		return fmt.Sprintf("%q is not a package and a test", test)
	}
	function, one, hasCase := strings.Cut("Test"+rest, "/")
	declared := f.tests[name+"."+function]
	if declared == nil {
		return fmt.Sprintf("there is no test %s.%s", name, function)
	}
	if hasCase && !containsText(declared, one) {
		return fmt.Sprintf("%s.%s has no case %s", name, function, one)
	}
	return ""
}

// containsText reports whether a string in a function is the name of a case.
func containsText(in *ast.FuncDecl, name string) bool {
	found := false
	ast.Inspect(in, func(n ast.Node) bool {
		if text, is := n.(*ast.BasicLit); is {
			value, err := strconv.Unquote(text.Value)
			found = found || err == nil && strings.ReplaceAll(value, " ", "_") == name
		}
		return !found
	})
	return found
}

// declaredTests are the tests of all packages, by package below internal and name.
func declaredTests(sources []source) map[string]*ast.FuncDecl {
	tests := map[string]*ast.FuncDecl{}
	for _, s := range sources {
		for _, d := range s.ast.Decls {
			f, is := d.(*ast.FuncDecl)
			if is && s.isTest() && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") && len(f.Type.Params.List) == 1 {
				tests[strings.TrimPrefix(s.pkg(), "internal/")+"."+f.Name.Name] = f
			}
		}
	}
	return tests
}

var word = regexp.MustCompile(`[A-Za-z][A-Za-z0-9_]*`)

// jsonNames are the words in strings and tags of the packages that know the shapes of requests.
func jsonNames(sources []source) map[string]bool {
	names := map[string]bool{}
	for _, s := range sources {
		if s.isTest() || s.pkg() != "internal/api" && !strings.HasPrefix(s.pkg(), "internal/llmrun") {
			continue
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			if text, is := n.(*ast.BasicLit); is {
				for _, name := range word.FindAllString(text.Value, -1) {
					names[name] = true
				}
			}
			return true
		})
	}
	return names
}

var parameter = regexp.MustCompile("(?m)^1\\. `([a-z_]+)`")

// offeredAttributes are those of the golden schema, and the functions with their parameters as in the generated documentation.
func offeredAttributes(t *testing.T) map[string]bool {
	t.Helper()
	attributes := map[string]bool{}
	golden, err := os.ReadFile("provider/testdata/schema.golden")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(golden)) {
		attribute, _, _ := strings.Cut(line, ": ")
		kind, rest, hasKind := strings.Cut(attribute, " ")
		if hasKind {
			attribute = strings.TrimPrefix(kind+"."+rest, "resource.")
		}
		attributes[attribute] = true
		whole, _, _ := strings.Cut(rest, ".")
		attributes[strings.TrimPrefix(kind+"."+whole, "resource.")] = hasKind
	}
	pages, err := filepath.Glob("../docs/functions/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal(pages, err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		function := "function." + strings.TrimSuffix(filepath.Base(page), ".md")
		attributes[function] = true
		for _, found := range parameter.FindAllStringSubmatch(string(text), -1) {
			attributes[function+"."+found[1]] = true
		}
	}
	return attributes
}

var pathParameter = regexp.MustCompile(`\{[a-z_]+\}`)

// serving asks a dev server, with all IDs made up: it answers 404 with its own text for what it doesn't serve.
func serving(t *testing.T) func(method, at string) bool {
	t.Helper()
	server, err := devserver.New(devserver.Config{DevAPI: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	return func(method, at string) bool {
		if !path.IsAbs(at) {
			return false
		}
		at = pathParameter.ReplaceAllString(at, "aaaaaaaa-0000-4000-8000-000000000000")
		answer := httptest.NewRecorder()
		server.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), method, "http://localhost"+at, http.NoBody))
		return answer.Code != http.StatusMethodNotAllowed && !strings.Contains(answer.Body.String(), `{"detail":"Not Found"}`)
	}
}

// TestLedger checks that each statement of the specifications has a request, an attribute and a test, and that these exist.
func TestLedger(t *testing.T) {
	t.Parallel()
	sources := moduleSources(t)
	facts := repositoryFacts{serving(t), jsonNames(sources), offeredAttributes(t), declaredTests(sources)}
	var all []statement
	for _, name := range []string{"control-plane.md", "tracing-runs.md"} {
		text, err := os.ReadFile(filepath.Join("testdata", "ledger", name))
		if err != nil {
			t.Fatal(err)
		}
		rows, broken := readLedger(name, string(text))
		if len(rows) == 0 || broken != nil {
			t.Errorf("%s has %d statements:\n%s", name, len(rows), strings.Join(broken, "\n"))
		}
		t.Logf("%s: %d statements", name, len(rows))
		all = append(all, rows...)
	}
	if broken := brokenLedger(all, facts); broken != nil {
		t.Errorf("rules broken:\n%s", strings.Join(broken, "\n"))
	}
}

// documentedFields lists the fields of a type of the API at any depth, except those of extended dialects.
func documentedFields(kind reflect.Type, at string) []string {
	switch {
	case kind.Kind() == reflect.Pointer:
		return documentedFields(kind.Elem(), at)
	case kind.Kind() == reflect.Slice && kind.Elem().Kind() == reflect.Struct:
		return documentedFields(kind.Elem(), at+"[]")
	case kind.Kind() != reflect.Struct:
		return []string{at}
	case strings.HasPrefix(kind.Name(), "Optional["):
		value, _ := kind.FieldByName("Value")
		return documentedFields(value.Type, at)
	}
	fields := []string{at}
	for field := range kind.Fields() {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "-" && !api.IsExtension(field) {
			fields = append(fields, documentedFields(field.Type, strings.TrimPrefix(at+"."+name, "."))...)
		}
	}
	return fields
}

// TestLedger_fields checks that each field of a creation is in a request of the ledger, so that a new field needs a row.
func TestLedger_fields(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/ledger/control-plane.md")
	if err != nil {
		t.Fatal(err)
	}
	rows, _ := readLedger("control-plane.md", string(text))
	named := map[string]bool{"": true}
	for _, row := range rows {
		for _, request := range references(row.request, "; ") {
			for _, field := range references(strings.Join(strings.SplitN(request, " ", 3)[2:], ""), ", ") {
				named[field] = true
			}
		}
	}
	fields := documentedFields(reflect.TypeFor[api.DeploymentCreateRequest](), "")
	for _, field := range fields {
		// Containers of both lists have the same fields, and so do all mounts.
		same := strings.ReplaceAll(field, ".init_containers[].", ".sidecars[].")
		same = strings.ReplaceAll(same, "sidecars[].volumeMounts[]", "volume_mounts[]")
		if !named[strings.TrimSuffix(same, "[]")] {
			t.Errorf("no request of the ledger has %s", same)
		}
	}
	if len(fields) < 80 {
		t.Errorf("a creation has %d fields, want at least 80", len(fields))
	}
}

// TestBrokenLedger checks that each kind of mistake in a row is reported.
func TestBrokenLedger(t *testing.T) {
	t.Parallel()
	sources := madeUp(t, map[string]string{
		"internal/client/client_test.go": `package client_test; import "testing"; func TestPaths(t *testing.T) { t.Run("with a prefix", nil) }; func TestMain(m, n int) {}; func (x X) TestOf(t int) {}`,
		"internal/client/client.go":      `package client; func TestCode(t int) {}`,
		"internal/api/api.go":            "package api; type A struct { B string `json:\"repo_url,omitzero\"` }",
	})
	facts := repositoryFacts{serving(t), jsonNames(sources), offeredAttributes(t), declaredTests(sources)}
	const request, attribute, test = "GET /v2/deployments/{deployment_id} repo_url", "agentplane_deployment.name", "client.TestPaths"
	for name, tc := range map[string]struct {
		rows string
		want []string
	}{
		"good":                {"| A. | " + request + " | " + attribute + " | " + test + " |", nil},
		"reasons":             {"| A. | none: a limit | none: a limit | " + test + " |", nil},
		"several of each":     {"| A. | " + request + "; POST /runs | " + attribute + " data.agentplane_runs function.usage.run provider.api_key | " + test + " client.TestPaths/with_a_prefix |", nil},
		"no statement":        {"|  | " + request + " | " + attribute + " | " + test + " |", []string{"x.md:2: the statement is empty"}},
		"no request":          {"| A. |  | " + attribute + " | " + test + " |", []string{"x.md:2: the request is empty"}},
		"no attribute":        {"| A. | " + request + " |  | " + test + " |", []string{"x.md:2: the attribute is empty"}},
		"no test":             {"| A. | " + request + " | " + attribute + " |  |", []string{"x.md:2: the test is empty"}},
		"no reason":           {"| A. | none: | none:  | " + test + " |", []string{"x.md:2: the attribute is empty", "x.md:2: the request is empty"}},
		"a reason, no test":   {"| A. | " + request + " | " + attribute + " | none: hard |", []string{`x.md:2: "hard" is not a package and a test`, `x.md:2: "none:" is not a package and a test`}},
		"unknown test":        {"| A. | " + request + " | " + attribute + " | client.TestPath |", []string{"x.md:2: there is no test client.TestPath"}},
		"test elsewhere":      {"| A. | " + request + " | " + attribute + " | api.TestPaths |", []string{"x.md:2: there is no test api.TestPaths"}},
		"test in code":        {"| A. | " + request + " | " + attribute + " | client.TestCode |", []string{"x.md:2: there is no test client.TestCode"}},
		"method of that name": {"| A. | " + request + " | " + attribute + " | client.TestOf |", []string{"x.md:2: there is no test client.TestOf"}},
		"unknown case":        {"| A. | " + request + " | " + attribute + " | client.TestPaths/prefix |", []string{"x.md:2: client.TestPaths has no case prefix"}},
		"unknown attribute":   {"| A. | " + request + " | " + attribute + " data.agentplane_deployment.label | " + test + " |", []string{"x.md:2: no schema has data.agentplane_deployment.label"}},
		"unknown parameter":   {"| A. | " + request + " | function.usage.json | " + test + " |", []string{"x.md:2: no schema has function.usage.json"}},
		"unknown path":        {"| A. | GET /v2/deployment | " + attribute + " | " + test + " |", []string{`x.md:2: the dev server doesn't serve "GET /v2/deployment"`}},
		"unknown method":      {"| A. | PUT /v2/deployments | " + attribute + " | " + test + " |", []string{`x.md:2: the dev server doesn't serve "PUT /v2/deployments"`}},
		"no path":             {"| A. | creation | " + attribute + " | " + test + " |", []string{`x.md:2: the dev server doesn't serve "creation "`}},
		"unknown field":       {"| A. | GET /v2/deployments resources[].repo_url | " + attribute + " | " + test + " |", []string{`x.md:2: no code has the field "resources" of resources[].repo_url`}},
		"twice":               {"| A. | " + request + " | " + attribute + " | " + test + " |\n| a. | " + request + " | " + attribute + " | " + test + " |", []string{"x.md:3: the statement is already at x.md:2"}},
		"too many cells":      {"| A. | B. | " + request + " | " + attribute + " | " + test + " |", []string{"x.md:2: the row has 5 cells, want 4"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rows, broken := readLedger("x.md", "## Section\n"+tc.rows+"\n")
			if diff := cmp.Diff(tc.want, append(broken, brokenLedger(rows, facts)...)); diff != "" {
				t.Error(diff)
			}
		})
	}
	rows, _ := readLedger("x.md", "| A. | "+request+" | "+attribute+" | "+test+" |\n")
	if diff := cmp.Diff([]string{"x.md:1: the section is empty"}, brokenLedger(rows, facts)); diff != "" {
		t.Error(diff)
	}
}
