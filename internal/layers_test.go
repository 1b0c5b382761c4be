// Package internal_test checks the structure of the repository: imports, locations and sizes of files. The rules read the source
// files themselves, so that they also see code behind build tags, and so that changed files and directories invalidate the result
// that "go test" caches.
package internal_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

const module = "github.com/agentplane/terraform-provider-agentplane"

// layer is a row of layers: a pattern of packages, and patterns of what they may import.
type layer struct {
	pkg string
	may []string
}

// layers lists what each package may import from this module. The first row whose pattern (see path.Match) matches a
// package counts. A package without a row is refused: its place has to be decided before its code is written.
var layers = []layer{
	{".", []string{"internal/process", "internal/provider"}},
	{"internal/process", nil},
	{"internal/api", nil},
	{"internal/llmrun", []string{"internal/llmrun/*", "internal/llmrun/message/document"}},
	{"internal/llmrun/rawjson", nil},
	{"internal/llmrun/texttable", nil},
	{"internal/llmrun/decimal", []string{"internal/llmrun/rawjson"}},
	{"internal/llmrun/timestamp", []string{"internal/llmrun/rawjson"}},
	{"internal/llmrun/message", []string{"internal/llmrun/message/*", "internal/llmrun/rawjson", "internal/llmrun/texttable"}},
	{"internal/llmrun/message/document", []string{"internal/llmrun/rawjson"}},
	{"internal/llmrun/message/chunk", []string{"internal/llmrun/rawjson", "internal/llmrun/texttable"}},
	{"internal/llmrun/message/shape", []string{"internal/llmrun/rawjson", "internal/llmrun/texttable"}},
	{"internal/llmrun/message/part", []string{"internal/llmrun/message/document", "internal/llmrun/message/shape", "internal/llmrun/rawjson", "internal/llmrun/texttable"}},
	{"internal/llmrun/message/envelope", []string{"internal/llmrun/message/document", "internal/llmrun/message/part", "internal/llmrun/message/shape", "internal/llmrun/rawjson"}},
	{"internal/llmrun/message/convert", []string{"internal/llmrun/message/document", "internal/llmrun/message/part", "internal/llmrun/message/envelope", "internal/llmrun/rawjson", "internal/llmrun/texttable"}},
	{"internal/llmrun/message/check", []string{"internal/llmrun/decimal", "internal/llmrun/message/document", "internal/llmrun/message/part", "internal/llmrun/message/envelope", "internal/llmrun/rawjson", "internal/llmrun/texttable"}},
	// Any other package below message is that of a format. These never import each other.
	{"internal/llmrun/message/*", []string{"internal/llmrun/message/document", "internal/llmrun/message/shape", "internal/llmrun/message/part", "internal/llmrun/message/envelope", "internal/llmrun/message/convert", "internal/llmrun/message/check", "internal/llmrun/message/chunk", "internal/llmrun/rawjson", "internal/llmrun/texttable"}},
	{"internal/llmrun/usage", []string{"internal/llmrun/decimal", "internal/llmrun/message", "internal/llmrun/message/document", "internal/llmrun/rawjson", "internal/llmrun/texttable", "internal/llmrun/timestamp"}},
	{"internal/llmrun/listprice", []string{"internal/llmrun/decimal", "internal/llmrun/texttable", "internal/llmrun/usage"}},
	{"internal/llmruntest", []string{"internal/llmrun/message/document", "internal/llmrun/rawjson"}},
	{"internal/poll", nil},
	// To find a model price after a lost reply, its times and amounts are compared in any format.
	{"internal/client/mask", nil},
	{"internal/client", []string{"internal/client/mask", "internal/api", "internal/llmrun/decimal", "internal/llmrun/timestamp"}},
	{"internal/rollout", []string{"internal/client/mask", "internal/api", "internal/client", "internal/poll"}},                                                     // Two resources follow revisions.
	{"internal/devserver", []string{"internal/api", "internal/devserver/*", "internal/devserver/tracing/*", "internal/llmrun/listprice", "internal/llmrun/usage"}}, // It wires the services together.
	{"internal/devserver/form", []string{"internal/llmrun/timestamp", "internal/api", "internal/devserver/limits"}},
	{"internal/devserver/rest", []string{"internal/llmrun/timestamp", "internal/api", "internal/devserver/form", "internal/devserver/limits", "internal/devserver/store"}},
	// The services never import each other.
	{"internal/devserver/controlplane", []string{"internal/api", "internal/devserver/limits", "internal/devserver/form", "internal/devserver/rest", "internal/devserver/seal", "internal/devserver/store"}},
	{"internal/devserver/authservice", []string{"internal/api", "internal/devserver/limits", "internal/devserver/form", "internal/devserver/rest", "internal/devserver/seal", "internal/devserver/store", "internal/devserver/turns"}},
	{"internal/devserver/seal", nil},
	{"internal/devserver/toylogin", []string{"internal/devserver/limits", "internal/devserver/seal"}},
	{"internal/devserver/tracing", []string{"internal/devserver/limits", "internal/devserver/form", "internal/devserver/rest", "internal/devserver/store", "internal/devserver/tracing/*", "internal/llmrun/message", "internal/llmrun/message/document"}},
	{"internal/devserver/tracing/price", []string{"internal/api", "internal/devserver/limits", "internal/devserver/form", "internal/devserver/rest", "internal/devserver/store", "internal/devserver/tracing/figure", "internal/llmrun/*"}},
	{"internal/devserver/tracing/feedback", []string{"internal/api", "internal/llmrun/timestamp", "internal/devserver/limits", "internal/devserver/form", "internal/devserver/rest", "internal/devserver/store", "internal/devserver/tracing/figure"}},
	{"internal/devserver/tracing/session", []string{"internal/api", "internal/llmrun", "internal/llmrun/*", "internal/devserver/limits", "internal/devserver/form", "internal/devserver/rest", "internal/devserver/store", "internal/devserver/filter", "internal/devserver/tracing/run", "internal/devserver/tracing/figure", "internal/devserver/tracing/feedback"}},
	{"internal/devserver/tracing/share", []string{"internal/api", "internal/devserver/limits", "internal/devserver/form", "internal/devserver/rest", "internal/devserver/store", "internal/devserver/tracing/run", "internal/devserver/tracing/feedback"}},
	{"internal/devserver/tracing/dataset", []string{"internal/api", "internal/devserver/limits", "internal/devserver/form", "internal/devserver/rest", "internal/devserver/store", "internal/devserver/tracing/run", "internal/devserver/tracing/ingest"}},
	{"internal/devserver/tracing/thread", []string{"internal/api", "internal/llmrun", "internal/llmrun/*", "internal/devserver/limits", "internal/devserver/form", "internal/devserver/rest", "internal/devserver/store", "internal/devserver/filter", "internal/devserver/tracing/run", "internal/devserver/tracing/figure", "internal/devserver/tracing/feedback"}},
	{"internal/devserver/tracing/run", []string{"internal/api", "internal/llmrun", "internal/llmrun/*", "internal/llmrun/message/document", "internal/devserver/limits", "internal/devserver/form", "internal/devserver/rest", "internal/devserver/store", "internal/devserver/filter", "internal/devserver/tracing/ingest", "internal/devserver/tracing/otlp", "internal/devserver/tracing/figure", "internal/devserver/tracing/price", "internal/devserver/tracing/feedback", "internal/devserver/turns"}},
	{"internal/devserver/tracing/figure", []string{"internal/api", "internal/devserver/limits", "internal/devserver/store", "internal/devserver/filter", "internal/llmrun", "internal/llmrun/*"}},
	{"internal/devserver/tracing/ingest", []string{"internal/llmrun/rawjson", "internal/devserver/limits", "internal/devserver/form"}},
	{"internal/devserver/tracing/otlp", []string{"internal/devserver/limits", "internal/devserver/tracing/ingest", "internal/llmrun", "internal/llmrun/*", "internal/llmrun/message/document"}},
	// Pages call the services directly, which know nothing of pages.
	{"internal/devserver/pages", []string{"internal/api", "internal/llmrun", "internal/llmrun/*", "internal/llmrun/message/document", "internal/devserver/authservice", "internal/devserver/controlplane", "internal/devserver/filter", "internal/devserver/form", "internal/devserver/limits", "internal/devserver/pages/web", "internal/devserver/rest", "internal/devserver/store", "internal/devserver/tracing", "internal/devserver/tracing/*", "internal/devserver/turns"}},
	{"internal/devserver/pages/web", []string{"internal/devserver/pages/web/chart"}},
	{"internal/devserver/pages/web/chart", nil},
	{"internal/devserver/filter", []string{"internal/devserver/limits", "internal/llmrun/rawjson"}},
	{"internal/devserver/limits", []string{"internal/api", "internal/llmrun/usage"}},
	{"internal/assert", nil},
	{"internal/devserver/devservertest", []string{"internal/api", "internal/assert", "internal/devserver", "internal/devserver/postgrestest"}},
	{"internal/devserver/postgrestest", nil},
	{"internal/devserver/turns", nil},
	{"internal/devserver/store", []string{"internal/devserver/filter", "internal/devserver/turns", "internal/llmrun/rawjson"}}, // It translates filters to SQL.
	// Benchmarks measure the provider against a dev server, both in their own process if possible.
	{"internal/cmd/bench", []string{"internal/devserver", "internal/devserver/postgrestest", "internal/provider", "internal/providertest/core"}},
	{"internal/cmd/bench/minimal", nil},
	{"internal/cmd/bench/passthrough", []string{"internal/provider"}}, // Its schemas.
	{"internal/cmd/devserver", []string{"internal/devserver"}},
	{"internal/cmd/docpages", nil},
	{"internal/cmd/image", nil},
	{"internal/cmd/providerschema", []string{"internal/provider"}},
	{"internal/framework", []string{"internal/client/mask", "internal/api", "internal/client", "internal/poll"}},
	{"internal/framework/protocol", []string{"internal/framework"}},
	{"internal/framework/frameworktest", []string{"internal/framework"}},
	{"internal/provider", []string{"internal/api", "internal/client", "internal/framework", "internal/framework/protocol", "internal/provider/*"}},
	{"internal/provider/functions", []string{"internal/api", "internal/llmrun", "internal/llmrun/*", "internal/llmrun/message/document", "internal/framework"}},
	// A resource may have its own packages below it.
	{"internal/provider/deployment", []string{"internal/client/mask", "internal/provider/lookup", "internal/api", "internal/client", "internal/framework", "internal/poll", "internal/rollout", "internal/provider/deployment/resourcespec"}},
	{"internal/provider/deployment/resourcespec", []string{"internal/api", "internal/framework"}},
	{"internal/provider/lookup", []string{"internal/api", "internal/client", "internal/framework"}}, // What several resources refer to.
	// Any other package below the provider is that of a resource. These never import each other.
	{"internal/provider/*", []string{"internal/client/mask", "internal/provider/lookup", "internal/api", "internal/client", "internal/framework", "internal/poll", "internal/rollout", "internal/llmrun", "internal/llmrun/*", "internal/llmrun/message/document"}},
	{"internal/providertest", []string{"internal/api", "internal/client", "internal/provider", "internal/devserver", "internal/devserver/devservertest", "internal/devserver/seal", "internal/devserver/toylogin", "internal/providertest/core", "internal/providertest/chaos", "internal/providertest/table"}},
	{"internal/providertest/core", nil},
	{"internal/providertest/chaos", []string{"internal/api", "internal/provider", "internal/providertest/core", "internal/providertest/chaos"}},
	{"internal/providertest/table", nil},
}

// testsMay lists what all tests may import in addition to the package's own row.
var testsMay = []string{"internal/assert", "internal/devserver", "internal/devserver/devservertest", "internal/devserver/postgrestest", "internal/framework/frameworktest", "internal/llmruntest", "internal/providertest", "internal/providertest/core"}

// reserved lists imports from outside the module that only a few packages may use.
var reserved = []struct {
	prefix string
	owners []string
}{
	{"github.com/hashicorp/terraform-plugin-", []string{".", "internal/cmd/bench", "internal/cmd/bench/*", "internal/cmd/providerschema", "internal/framework", "internal/framework/protocol", "internal/framework/frameworktest", "internal/provider", "internal/provider/*", "internal/provider/deployment/resourcespec", "internal/providertest", "internal/providertest/core", "internal/providertest/chaos", "internal/providertest/table"}},
	{"database/sql", []string{"internal/devserver/store"}},
	{"modernc.org/sqlite", []string{"internal/devserver/store"}},
	{"github.com/prometheus/", []string{"internal/devserver/rest"}},
	{"github.com/jackc/pgx", []string{"internal/devserver/store", "internal/devserver/postgrestest"}},
}

// rooms are packages in which only requests and answers may be HTTP: files with the given ends of their names.
var (
	rooms     = "internal/devserver/tracing/*"
	roomDoors = []string{"handlers.go", "routes.go"}
	outside   = []string{"net/http", module + "/internal/devserver/rest"}
)

// noHTTP lists the packages that must not import net/http.
var noHTTP = []string{"internal/api", "internal/llmrun", "internal/llmrun/*", "internal/llmrun/message/*", "internal/poll", "internal/devserver/store", "internal/devserver/filter", "internal/devserver/form", "internal/devserver/tracing/figure", "internal/devserver/tracing/ingest"}

// httpClient lists what makes a package an HTTP client. Only internal/client may use it, the Auth service, which exchanges codes
// for tokens, and the test harness, which controls a running dev server.
// Status codes and handlers are open to all packages.
var httpClient = []string{
	"Client", "DefaultClient", "DefaultTransport", "Get", "Head", "NewRequest", "NewRequestWithContext", "Post",
	"PostForm", "ProxyFromEnvironment", "RoundTripper", "Transport",
}

// sqlOwner is the only package that contains SQL, besides that which makes databases for tests.
const sqlOwner, sqlTests = "internal/devserver/store", "internal/devserver/postgrestest"

// sqlWords match every statement and condition, and no other text of this module.
var sqlWords = regexp.MustCompile(`\b(SELECT|INSERT INTO|DELETE FROM|WHERE|JOIN|ORDER BY|GROUP BY|IS NULL|IS NOT|PRAGMA)\b|(=|<|>|IN) \(?\?`)

// topLevel lists everything in the root directory of the repository.
var topLevel = []string{
	".ci", ".github", ".gitignore", ".golangci.yml", ".goreleaser.yml", "CHANGELOG.md", "CONTRIBUTING.md",
	"GNUmakefile", "LICENSE", "README.md", "docs", "examples", "go.mod", "go.sum", "internal", "main.go",
	"templates", "terraform-registry-manifest.json",
}

// source is one Go file.
type source struct {
	name  string // path from the root of the module
	lines int
	ast   *ast.File
}

func (s source) pkg() string  { return path.Dir(s.name) }
func (s source) isTest() bool { return strings.HasSuffix(s.name, "_test.go") }

// readSources parses every Go file that the go command would read.
func readSources(root fs.FS) ([]source, error) {
	var sources []source
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		switch base := entry.Name(); {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && (strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || base == "testdata"):
			return fs.SkipDir
		case entry.IsDir() || path.Ext(name) != ".go":
			return nil
		}
		content, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, content, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		sources = append(sources, source{name, strings.Count(string(content), "\n"), file})
		return nil
	})
	return sources, err
}

// matches reports whether a package matches one of the patterns.
func matches(patterns []string, pkg string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, err := path.Match(pattern, pkg)
		return ok && err == nil
	})
}

// brokenImports checks layers, reserved, noHTTP and httpClient.
func brokenImports(sources []source) []string {
	var broken []string
	for _, s := range sources {
		pkg := s.pkg()
		if pkg == "internal" && s.isTest() {
			continue // These rules themselves, which no package can import.
		}
		row := slices.IndexFunc(layers, func(l layer) bool { return matches([]string{l.pkg}, pkg) })
		if row < 0 {
			broken = append(broken, fmt.Sprintf("%s: package %s has no row in the table of layers", s.name, pkg))
			continue
		}
		may := layers[row].may
		if s.isTest() {
			may = slices.Concat(may, testsMay, []string{pkg})
		}
		for _, spec := range s.ast.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				broken = append(broken, fmt.Sprintf("%s: %v", s.name, err))
				continue
			}
			if ours, ok := strings.CutPrefix(imported, module+"/"); ok && !matches(may, ours) {
				broken = append(broken, fmt.Sprintf("%s: %s may not import %s", s.name, pkg, ours))
			}
			for _, r := range reserved {
				if strings.HasPrefix(imported, r.prefix) && !matches(r.owners, pkg) {
					broken = append(broken, fmt.Sprintf("%s: %s may not import %s", s.name, pkg, imported))
				}
			}
			isDoor := slices.ContainsFunc(roomDoors, func(end string) bool { return strings.HasSuffix(s.name, end) })
			if matches([]string{rooms}, pkg) && slices.Contains(outside, imported) && !isDoor && !s.isTest() {
				broken = append(broken, fmt.Sprintf("%s: only handlers and routes of %s may import %s", s.name, pkg, imported))
			}
			if imported == "net/http" && !s.isTest() {
				broken = append(broken, brokenHTTP(s, spec)...)
			}
		}
	}
	return broken
}

// brokenHTTP checks how a file uses net/http.
func brokenHTTP(s source, spec *ast.ImportSpec) []string {
	switch {
	case matches(noHTTP, s.pkg()):
		return []string{fmt.Sprintf("%s: %s may not import net/http", s.name, s.pkg())}
	case slices.Contains([]string{"internal/client", "internal/devserver/authservice", "internal/providertest", "internal/devserver/devservertest"}, s.pkg()):
		return nil
	}
	local := "http"
	if spec.Name != nil {
		local = spec.Name.Name
	}
	var broken []string
	ast.Inspect(s.ast, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && slices.Contains(httpClient, sel.Sel.Name) {
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == local {
				broken = append(broken, fmt.Sprintf("%s: only internal/client may use http.%s", s.name, sel.Sel.Name))
			}
		}
		return true
	})
	return broken
}

// brokenSQL checks that no string outside sqlOwner contains SQL.
func brokenSQL(sources []source) []string {
	var broken []string
	for _, s := range sources {
		if s.pkg() == sqlOwner || s.pkg() == sqlTests || s.isTest() {
			continue
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
				if word := sqlWords.FindString(text.Value); word != "" {
					broken = append(broken, fmt.Sprintf("%s: only %s may have SQL such as %q", s.name, sqlOwner, word))
				}
			}
			return true
		})
	}
	return broken
}

// brokenDocs checks that every package has a package comment in its doc.go, in godoc's form.
func brokenDocs(sources []source) []string {
	docs, programs := map[string]string{}, map[string]bool{}
	var broken, packages []string
	for _, s := range sources {
		if s.isTest() || !strings.HasPrefix(s.name, "internal/") {
			continue
		}
		packages = append(packages, s.pkg())
		if path.Base(s.name) == "doc.go" {
			docs[s.pkg()], programs[s.pkg()] = s.ast.Doc.Text(), s.ast.Name.Name == "main"
		}
	}
	slices.Sort(packages)
	for _, pkg := range slices.Compact(packages) {
		prefix := "Package " + path.Base(pkg) + " "
		if programs[pkg] {
			prefix = "Command " + path.Base(pkg) + " "
		}
		switch doc, ok := docs[pkg]; {
		case !ok:
			broken = append(broken, pkg+": has no doc.go")
		case !strings.HasPrefix(doc, prefix):
			broken = append(broken, fmt.Sprintf("%s/doc.go: does not begin with %q", pkg, prefix))
		}
	}
	return broken
}

// brokenTop compares the root of the repository with topLevel: nothing else may be committed, and nothing may be missing.
func brokenTop(committed, present []string) []string {
	var broken []string
	for _, name := range committed {
		if !slices.Contains(topLevel, name) {
			broken = append(broken, name+": does not belong at the top level")
		}
	}
	for _, name := range topLevel {
		if !slices.Contains(present, name) {
			broken = append(broken, name+": missing at the top level")
		}
	}
	return broken
}

// rootNames lists the root directory and its committed entries. Outside a work tree, for example in an unpacked archive, these are
// all entries that .gitignore doesn't name.
func rootNames(t *testing.T, root string) (committed, present []string) {
	t.Helper()
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		present = append(present, entry.Name())
	}
	git := exec.CommandContext(t.Context(), "git", "ls-files", "-z")
	git.Dir = root
	files, err := git.Output()
	if err != nil {
		t.Logf("git ls-files: %v; listing the directory instead", err)
		ignore, err := os.ReadFile(path.Join(root, ".gitignore"))
		if err != nil {
			t.Fatal(err)
		}
		return unignored(present, string(ignore)), present
	}
	for file := range strings.SplitSeq(strings.TrimSuffix(string(files), "\x00"), "\x00") {
		top, _, _ := strings.Cut(file, "/")
		committed = append(committed, top)
	}
	slices.Sort(committed)
	return slices.Compact(committed), present
}

// unignored omits the names that a .gitignore has at the root.
func unignored(names []string, gitignore string) []string {
	ignored := []string{".git"}
	for line := range strings.Lines(gitignore) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "/"); ok {
			ignored = append(ignored, strings.TrimSuffix(name, "/"))
		}
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(ignored, name) })
}

func TestLayers(t *testing.T) {
	t.Parallel()
	sources := moduleSources(t)
	for name, broken := range map[string][]string{
		"imports": brokenImports(sources), "docs": brokenDocs(sources), "SQL": brokenSQL(sources),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff([]string(nil), broken); diff != "" {
				t.Errorf("rules broken:\n%s", strings.Join(broken, "\n"))
			}
		})
	}
}

func TestTopLevel(t *testing.T) {
	t.Parallel()
	if broken := brokenTop(rootNames(t, "..")); broken != nil {
		t.Errorf("rules broken:\n%s", strings.Join(broken, "\n"))
	}
}

func TestBrokenTop(t *testing.T) {
	t.Parallel()
	complete := slices.Clone(topLevel)
	tests := map[string]struct {
		committed, present, want []string
	}{
		"complete":               {complete, complete, nil},
		"private files are free": {complete, append([]string{".idea"}, complete...), nil},
		"not committed yet":      {complete[1:], complete, nil},
		"stranger":               {append([]string{"pkg"}, complete...), complete, []string{"pkg: does not belong at the top level"}},
		"missing":                {complete[1:], complete[1:], []string{".ci: missing at the top level"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, brokenTop(test.committed, test.present)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestUnignored(t *testing.T) {
	t.Parallel()
	const gitignore = "/.bin/\n/built\n*.log\n/examples/quickstart/.work/\n"
	got := unignored([]string{".bin", ".git", ".github", "built", "examples", "main.go"}, gitignore)
	if diff := cmp.Diff([]string{".github", "examples", "main.go"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestBrokenImports checks that each rule catches a violation, in files made for the purpose.
func TestBrokenImports(t *testing.T) {
	t.Parallel()
	const ours = module + "/internal/"
	tests := map[string]struct {
		file, code string
		want       []string
	}{
		"down the layers": {
			"internal/client/client.go", `import "` + ours + `api"`, nil,
		},
		"up the layers": {
			"internal/client/client.go", `import "` + ours + `poll"`,
			[]string{"internal/client/client.go: internal/client may not import internal/poll"},
		},
		"client and server": {
			"internal/devserver/push.go", `import "` + ours + `client"`,
			[]string{"internal/devserver/push.go: internal/devserver may not import internal/client"},
		},
		"behind a build tag": {
			"internal/poll/poll_plan9.go", `import _ "` + ours + `api"`,
			[]string{"internal/poll/poll_plan9.go: internal/poll may not import internal/api"},
		},
		"noun to noun": {
			"internal/provider/deployment/plan.go", `import "` + ours + `provider/listener"`,
			[]string{"internal/provider/deployment/plan.go: internal/provider/deployment may not import internal/provider/listener"},
		},
		"functions are no resource": {
			"internal/provider/functions/cost.go", `import "` + ours + `client"`,
			[]string{"internal/provider/functions/cost.go: internal/provider/functions may not import internal/client"},
		},
		"provider to resource": {
			"internal/provider/provider.go", `import "` + ours + `provider/deployment"`, nil,
		},
		"main": {
			"main.go", `import "` + ours + `provider"`, nil,
		},
		"main past the provider": {
			"main.go", `import "` + ours + `client"`, []string{"main.go: . may not import internal/client"},
		},
		"package without a row": {
			"internal/util/util.go", ``,
			[]string{"internal/util/util.go: package internal/util has no row in the table of layers"},
		},
		"package below a resource": {
			"internal/provider/deployment/deep/deep.go", ``,
			[]string{"internal/provider/deployment/deep/deep.go: package internal/provider/deployment/deep has no row in the table of layers"},
		},
		"test against the dev server": {
			"internal/client/client_test.go", `import ("` + ours + `client"; "` + ours + `devserver")`, nil,
		},
		"code against the dev server": {
			"internal/client/client.go", `import "` + ours + `devserver"`,
			[]string{"internal/client/client.go: internal/client may not import internal/devserver"},
		},
		"test past its row": {
			"internal/poll/poll_test.go", `import "` + ours + `client"`,
			[]string{"internal/poll/poll_test.go: internal/poll may not import internal/client"},
		},
		"framework above": {
			"internal/framework/null.go", `import "github.com/hashicorp/terraform-plugin-framework/types"`, nil,
		},
		"framework below": {
			"internal/client/client_test.go", `import "github.com/hashicorp/terraform-plugin-log/tflog"`,
			[]string{"internal/client/client_test.go: internal/client may not import github.com/hashicorp/terraform-plugin-log/tflog"},
		},
		"SQL outside of the store": {
			"internal/devserver/server.go", `import "database/sql"`,
			[]string{"internal/devserver/server.go: internal/devserver may not import database/sql"},
		},
		"HTTP in the wire": {
			"internal/api/api.go", `import "net/http"`,
			[]string{"internal/api/api.go: internal/api may not import net/http"},
		},
		"HTTP in the door of a room": {
			"internal/devserver/tracing/run/query_handlers.go", `import ("net/http"; "` + ours + `devserver/rest")`, nil,
		},
		"HTTP behind the door of a room": {
			"internal/devserver/tracing/run/query.go", `import ("net/http"; "` + ours + `devserver/rest")`,
			[]string{
				"internal/devserver/tracing/run/query.go: only handlers and routes of internal/devserver/tracing/run may import net/http",
				"internal/devserver/tracing/run/query.go: only handlers and routes of internal/devserver/tracing/run may import " + ours + "devserver/rest",
			},
		},
		"HTTP in the client": {
			"internal/client/client.go", `import "net/http"; var c http.Client`, nil,
		},
		"HTTP status elsewhere": {
			"internal/framework/diagnostics.go", `import "net/http"; const s = http.StatusNotFound`, nil,
		},
		"HTTP client elsewhere": {
			"internal/devserver/push.go", `import web "net/http"; func f() { web.Get("/"); _ = web.DefaultClient }`,
			[]string{
				"internal/devserver/push.go: only internal/client may use http.Get",
				"internal/devserver/push.go: only internal/client may use http.DefaultClient",
			},
		},
		"HTTP client in the harness": {
			"internal/providertest/plane.go", `import "net/http"; func f() { http.Get("/") }`, nil,
		},
		"HTTP client in a test": {
			"internal/devserver/push_test.go", `import "net/http"; func f() { http.Get("/") }`, nil,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sources := madeUp(t, map[string]string{test.file: "package p\n" + test.code})
			if diff := cmp.Diff(test.want, brokenImports(sources)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestBrokenSQL(t *testing.T) {
	t.Parallel()
	sources := madeUp(t, map[string]string{
		"internal/devserver/store/run.go":      "package store\nconst s = `SELECT 1`",
		"internal/devserver/tracing/stats.go":  "package tracing\nconst s = `r.status = ?`",
		"internal/devserver/pages/run.go":      "package pages\nconst s = `a\nWHERE b`",
		"internal/devserver/pages/run_test.go": "package pages\nconst s = `SELECT 1`",
		"internal/devserver/pages/list.go":     "package pages\nconst s, t = `Where is it? DELETE it.`, `a=?`",
	})
	want := []string{
		`internal/devserver/pages/run.go: only internal/devserver/store may have SQL such as "WHERE"`,
		`internal/devserver/tracing/stats.go: only internal/devserver/store may have SQL such as "= ?"`,
	}
	if diff := cmp.Diff(want, brokenSQL(sources)); diff != "" {
		t.Error(diff)
	}
}

func TestBrokenDocs(t *testing.T) {
	t.Parallel()
	sources := madeUp(t, map[string]string{
		"main.go":                            "package main",
		"internal/good/doc.go":               "// Package good is good.\npackage good",
		"internal/none/none.go":              "// Package none has its sentence in the wrong file.\npackage none",
		"internal/none/testdata/x.go":        "no Go at all",
		"internal/mute/doc.go":               "package mute",
		"internal/other/doc.go":              "// Package another copied this.\npackage other",
		"internal/cmd/devserver/doc.go":      "// Command devserver runs.\npackage main",
		"internal/cmd/devserver/run_test.go": "package main",
		"internal/tests/tests_test.go":       "package tests",
	})
	want := []string{
		`internal/mute/doc.go: does not begin with "Package mute "`,
		"internal/none: has no doc.go",
		`internal/other/doc.go: does not begin with "Package other "`,
	}
	if diff := cmp.Diff(want, brokenDocs(sources)); diff != "" {
		t.Error(diff)
	}
}

// moduleSources returns the files of this module, which are only read once.
func moduleSources(t *testing.T) []source {
	t.Helper()
	sources, err := readModule()
	if err != nil {
		t.Fatal(err)
	}
	return sources
}

var readModule = sync.OnceValues(func() ([]source, error) { return readSources(os.DirFS("..")) })

// madeUp reads a module that exists only in the test.
func madeUp(t *testing.T, files map[string]string) []source {
	t.Helper()
	root := fstest.MapFS{}
	for name, code := range files {
		root[name] = &fstest.MapFile{Data: []byte(code + "\n")}
	}
	sources, err := readSources(root)
	if err != nil {
		t.Fatal(err)
	}
	return sources
}
