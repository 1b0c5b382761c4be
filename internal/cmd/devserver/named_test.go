package main

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// ofOthers are options of other programs in the documentation, by program.
var ofOthers = map[string][]string{
	"terraform": {
		"-chdir", "-detailed-exitcode", "-filter", "-force", "-from-module", "-generate-config-out", "-invoke", "-json", "-out", "-parallelism", "-raw",
		"-refresh", "-refresh-only", "-replace", "-target", "-upgrade", "-var", "-var-file", "-version", "-destroy", "-auto-approve", "-reconfigure",
	},
	"opa":        {"--bundle", "--decision", "--fail", "--strict", "--list"},
	"curl":       {"-H", "-X", "-d", "-s", "-fsS", "-fsSLO", "-o", "-fs", "--json", "--retry", "--retry-connrefused", "--retry-delay"},
	"cp":         {"-R"},
	"date":       {"-u"},
	"docker":     {"-p", "-v", "--rm"},
	"go":         {"-run", "-update", "-modfile", "-v", "-race", "-count", "-trimpath", "-fuzz"},
	"gpg":        {"--armor", "--export", "--export-secret-keys", "--quick-generate-key"},
	"grep":       {"-qx"},
	"jq":         {"-e", "-r"},
	"shell":      {"-euo", "-e", "-f", "-s", "-c"},
	"openssl":    {"-hex"},
	"setup.sh":   {"-source", "-version", "-from", "-binary"},
	"release":    {"-snapshot", "-dry-run", "-check"},
	"createdb":   {"-E", "-T"},
	"pg_dump":    {"--format", "--file"},
	"pg_restore": {"--exit-on-error", "--no-owner", "--dbname"},
	"backup":     {"-with-key"}, // Of the dev server.
	"kill":       {"-INT"},
	"make":       {"-C"},
	"sed":        {"-i"},
	"ends":       {"-key", "-reserve", "-wal", "-shm", "-Proto", "-Host"}, // Of names of files and headers.
	"sha256sum":  {"-c", "--ignore-missing"},
}

var (
	option    = regexp.MustCompile(`(?:^|[\s(\[,])(--?[a-zA-Z][a-zA-Z-]*)`)
	codeSpan  = regexp.MustCompile("`([^`\n]+)`")
	codeFence = regexp.MustCompile("(?ms)^ *```(?:shell|sh|bash|yaml)\n(.*?)\n *```$")
	devServer = regexp.MustCompile(`(?:agentplane-devserver|cmd/devserver|^devserver|\bcommand:|ghcr\.io/agentplane/agentplane-devserver:\S+) (.*)`)
	continued = regexp.MustCompile(`\\\n\s*`)
)

// unknownOptions lists the options in a page that neither the dev server nor another known program has, and those of lines that start the
// dev server which it doesn't have.
func unknownOptions(page string, own func(name string) bool) []string {
	var unknown []string
	check := func(line string) {
		arguments, starts := line, false
		if found := devServer.FindStringSubmatch(line); found != nil {
			arguments, starts = found[1], true
		}
		for _, found := range option.FindAllStringSubmatch(arguments, -1) {
			name := found[1]
			other := slices.ContainsFunc(slices.Collect(maps.Values(ofOthers)), func(options []string) bool { return slices.Contains(options, name) })
			command, _, _ := strings.Cut(arguments, " ")
			ofCommand := strings.Contains(map[string]string{"copy": copyUsage, "backup": backupUsage}[command], name)
			if !own(name) && !ofCommand && (starts || !other) {
				unknown = append(unknown, name)
			}
		}
	}
	for _, found := range codeFence.FindAllStringSubmatch(page, -1) {
		for line := range strings.Lines(continued.ReplaceAllString(found[1], " ")) {
			if text := strings.TrimSpace(line); !strings.HasPrefix(text, "#") && !strings.HasPrefix(text, "- ") {
				check(text)
			}
		}
	}
	for _, found := range codeSpan.FindAllStringSubmatch(codeFence.ReplaceAllString(page, ""), -1) {
		check(found[1])
	}
	return unknown
}

// TestNamed_options expects that documented options exist.
func TestNamed_options(t *testing.T) {
	t.Parallel()
	flags := new(options).flags(nil, new(bool))
	own := func(name string) bool {
		return flags.Lookup(strings.TrimLeft(name, "-")) != nil || name == "-help"
	}
	root, pages := filepath.Join("..", "..", ".."), 0
	for _, from := range []string{"README.md", "CONTRIBUTING.md", "templates", "examples", ".ci/README.md"} {
		err := filepath.WalkDir(filepath.Join(root, from), func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.Contains(filepath.Base(name), ".md") {
				return err
			}
			text, err := os.ReadFile(name)
			for _, option := range unknownOptions(string(text), own) {
				t.Errorf("%s names the option %s, which no known program has", name, option)
			}
			pages++
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if pages < 25 {
		t.Errorf("there are %d pages only", pages)
	}
	made := "`-sed` `-seed` `terraform plan -out=x`\n```shell\nagentplane-devserver -seed -out x\nterraform apply -outt\n```\n"
	if got := unknownOptions(made, own); !slices.Equal(got, []string{"-out", "-outt", "-sed"}) {
		t.Errorf("unknown options = %q", got)
	}
}
