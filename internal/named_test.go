package internal_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// readAll returns the contents of the files below the roots that want accepts.
func readAll(t *testing.T, want func(name string) bool, roots ...string) string {
	t.Helper()
	var all strings.Builder
	for _, root := range roots {
		err := filepath.WalkDir(filepath.Join("..", root), func(name string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() || !want(filepath.ToSlash(name)) {
				return err
			}
			text, err := os.ReadFile(name)
			all.Write(text)
			all.WriteByte('\n')
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all.String()
}

// written returns the documentation that is written by hand, by name: README, CONTRIBUTING, templates, and READMEs of examples.
func written(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	for _, root := range []string{"README.md", "CONTRIBUTING.md", ".ci/README.md", "templates", "examples"} {
		err := filepath.WalkDir(filepath.Join("..", root), func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.Contains(filepath.Base(name), ".md") {
				return err
			}
			text, err := os.ReadFile(name)
			pages[filepath.ToSlash(name)] = string(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(pages) < 25 {
		t.Fatalf("there are %d pages only", len(pages))
	}
	return pages
}

var (
	// variable matches the name of an environment variable.
	variable = regexp.MustCompile(`\b(?:AGENTPLANE|TF|LANGSMITH|LANGCHAIN|OTEL|GPG|PG|POSTGRES|HTTPS|NO|SSL)_[A-Z0-9_]*[A-Z0-9]\b`)
	// elsewhereRead are variables that other programs read, with the documentation that has them.
	elsewhereRead = map[string]string{
		"TF_CLI_CONFIG_FILE": "Terraform: environment variables", "TF_LOG": "Terraform: environment variables",
		"TF_LOG_PATH": "Terraform: environment variables", "TF_LOG_PROVIDER": "Terraform: environment variables",
		"TF_WORKSPACE": "Terraform: environment variables", "HTTPS_PROXY": "Go: net/http", "NO_PROXY": "Go: net/http",
		"SSL_CERT_FILE": "Go: crypto/x509", "OTEL_LOGS_EXPORTER": "OpenTelemetry: SDK configuration",
		"OTEL_METRICS_EXPORTER": "OpenTelemetry: SDK configuration", "OTEL_EXPORTER_OTLP_PROTOCOL": "OpenTelemetry: OTLP exporter configuration",
		"LANGSMITH_TRACING_MODE": "LangSmith: SDK for Python", "OTEL_TRACE_ID": "LangSmith: a form of spans",
	}
)

// variablesIn is the set of environment variables that a text names.
func variablesIn(texts ...string) map[string]bool {
	names := map[string]bool{}
	for _, text := range texts {
		for _, name := range variable.FindAllString(text, -1) {
			names[name] = true
		}
	}
	return names
}

// unknownVariables lists the environment variables in a text that nothing reads.
func unknownVariables(text string, read map[string]bool) []string {
	var unknown []string
	for name := range variablesIn(text) {
		if elsewhereRead[name] == "" && !read[name] {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	return unknown
}

// TestNamed_variables expects that something reads each environment variable in the documentation: the provider, the dev server, the
// setup script, and those of clients the tests that run them.
func TestNamed_variables(t *testing.T) {
	t.Parallel()
	product := variablesIn(readAll(t, func(name string) bool {
		return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, ".sh")
	}, "internal", ".github", "examples"), readAll(t, func(name string) bool { return filepath.Ext(name) != ".md" }, ".github", ".ci", "examples/server"))
	tests := variablesIn(readAll(t, func(name string) bool {
		return strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, "npm.go")
	}, "internal"))
	for page, text := range written(t) {
		for _, name := range unknownVariables(text, product) {
			ofTests := !strings.HasPrefix(name, "AGENTPLANE_") || page == "../CONTRIBUTING.md"
			if !ofTests || unknownVariables(name, tests) != nil {
				t.Errorf("%s names %s, which nothing reads", page, name)
			}
		}
	}
	if got := unknownVariables("`AGENTPLANE_KEY` `AGENTPLANE_API_KEY` `BUILD_FAILED` `TF_LOG`", product); !slices.Equal(got, []string{"AGENTPLANE_KEY"}) {
		t.Errorf("unknown variables = %q", got)
	}
}

var (
	cliVersion     = regexp.MustCompile(`\b(Terraform|OpenTofu)(?: or OpenTofu)? 1\.(\d+)`)
	ownVersion     = regexp.MustCompile(`(?:agentplane-devserver[:_]|terraform-provider-agentplane/(?:releases/download/)?v|setup@v|devserver@v|` + "`@v|Version |VERSION=)" + `(0\.\d+\.\d+)`)
	usedAction     = regexp.MustCompile(`uses: ([a-z][\w-]*/[\w/-]+)@v(\d+)`)
	changelogTitle = regexp.MustCompile(`(?m)^## (\d+\.\d+\.\d+)`)
)

// TestNamed_versions expects that documented versions exist: those of CLIs in the table of versions, own ones in the changelog, and those
// of actions in the project's own workflows.
func TestNamed_versions(t *testing.T) {
	t.Parallel()
	changelog := readAll(t, func(string) bool { return true }, "CHANGELOG.md")
	released := changelogTitle.FindStringSubmatch(changelog)
	if released == nil {
		t.Fatal("the changelog has no version")
	}
	pages := written(t)
	_, table, _ := strings.Cut(pages["../templates/guides/upgrading.md"], "| Feature | Terraform | OpenTofu |\n")
	columns := map[string][]string{}
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, "|"); len(cells) > 3 {
			for i, product := range []string{"Terraform", "OpenTofu"} {
				for _, minor := range regexp.MustCompile(`1\.(\d+)`).FindAllStringSubmatch(cells[2+i], -1) {
					columns[product] = append(columns[product], minor[1])
				}
			}
		}
	}
	workflows := readAll(t, func(name string) bool { return strings.HasSuffix(name, ".yml") }, ".github")
	checked := 0
	for page, text := range pages {
		for _, found := range cliVersion.FindAllStringSubmatch(text, -1) {
			if !slices.Contains(columns[found[1]], found[2]) && found[0] != "Terraform 1.9" { // Named for what it reports wrongly.
				t.Errorf("%s names %s, which the table of versions doesn't have", page, found[0])
			}
			checked++
		}
		for _, found := range ownVersion.FindAllStringSubmatch(text, -1) {
			if !strings.Contains(changelog, "\n## "+found[1]) && released[1] != found[1] {
				t.Errorf("%s names version %s, which the changelog doesn't have", page, found[1])
			}
			checked++
		}
		for _, found := range usedAction.FindAllStringSubmatch(text, -1) {
			own := strings.HasPrefix(found[1], "agentplane/")
			if pinned := regexp.MustCompile(regexp.QuoteMeta(found[1]) + `@[0-9a-f]{40} # v` + found[2] + `\.`); !own && !pinned.MatchString(workflows) {
				t.Errorf("%s uses %s@v%s, which no workflow of the project uses", page, found[1], found[2])
			}
			checked++
		}
	}
	if checked < 40 {
		t.Errorf("checked %d versions, want at least 40", checked)
	}
}
