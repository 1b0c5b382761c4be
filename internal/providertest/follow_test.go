package providertest_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// needs are the oldest versions of Terraform and OpenTofu that can do what a page does, by a text on the page.
var needs = []struct {
	text            *regexp.Regexp
	terraform, tofu int
}{
	{regexp.MustCompile(`terraform test`), 6, 6},
	{regexp.MustCompile(`provider::agentplane::`), 8, 7},
	{regexp.MustCompile(`mock_provider`), 7, 8},
	{regexp.MustCompile(`ephemeral *= true|_wo\b|examples/platform(/modules)? `), 11, 11},
	{regexp.MustCompile(`-invoke=|terraform query`), 14, math.MaxInt},
}

// named is the first line of a block that is a file, and excerpt that of a part of a file that is there already.
var (
	named   = regexp.MustCompile(`^# ([\w./-]+\.\w+)\n`)
	excerpt = regexp.MustCompile(`^# Excerpt of ([\w./-]+)\n`)
)

// negated is a command that must fail, but whose success bash ignores because it isn't the last one.
var negated = regexp.MustCompile(`(?m)^ *! .*[^\\]\n`)

// follow does what a page says, from the top to the end: it writes the files that the page shows, runs its commands in one shell, and
// expects what the page shows of their output. A command fails if, and only if, the page shows its error.
func follow(t *testing.T, blocks []codeBlock) {
	t.Helper()
	var all strings.Builder
	for _, block := range blocks {
		all.WriteString(block.code)
	}
	var programs []string
	for _, program := range []string{"jq", "opa"} {
		if regexp.MustCompile(`(?m)(^|\|)\s*` + program + ` `).MatchString(all.String()) {
			programs = append(programs, program)
		}
	}
	m := startMachine(t, programs...)
	for _, need := range needs {
		if need.text.MatchString(all.String()) {
			m.needs(t, need.terraform, need.tofu)
		}
	}
	m.follow(t, blocks)
}

func (m *machine) follow(t *testing.T, blocks []codeBlock) {
	t.Helper()
	printed := ""
	for i, block := range blocks {
		switch block.language {
		case "shell", "sh", "bash":
			if negated.MatchString(strings.TrimSpace(block.code)) {
				t.Fatalf("the shell ignores all but the last command that must fail:\n%s", block.code)
			}
			var err error
			printed, err = m.run(t, block.code)
			fails := i+1 < len(blocks) && blocks[i+1].language == "text" && strings.HasPrefix(blocks[i+1].code, "Error: ")
			if exit := (*exec.ExitError)(nil); fails != errors.As(err, &exit) || !fails && err != nil {
				t.Fatalf("error = %v, want one: %t\n%s\n%s", err, fails, block.code, printed)
			}
		case "text":
			if err := shows(printed, block.code); err != nil {
				t.Fatal(err)
			}
		default:
			if err := m.save(t, block.code); err != nil {
				t.Fatalf("%v\n%s", err, block.code)
			}
		}
	}
}

// shows expects each line of a block in what a command has printed, in any order. … stands for any text, and between quotes for any without
// quotes.
func shows(printed, block string) error {
	together := strings.Join(strings.Fields(printed), " ")
	for line := range strings.Lines(block) {
		line = strings.Join(strings.Fields(line), " ")
		pattern := strings.NewReplacer(`"…"`, `"[^"]*"`, "…", ".*?").Replace(regexp.QuoteMeta(line))
		if !regexp.MustCompile(pattern).MatchString(together) {
			return fmt.Errorf("the commands before don't print %q, but\n%s", line, printed)
		}
	}
	return nil
}

// save writes a file, or compares an excerpt with one.
func (m *machine) save(t *testing.T, code string) error {
	t.Helper()
	place, err := m.run(t, "pwd")
	if err != nil {
		return err
	}
	place = strings.TrimSpace(place)
	if found := excerpt.FindStringSubmatch(code); found != nil {
		text, err := os.ReadFile(filepath.Join(place, found[1]))
		if err == nil && !strings.Contains(string(text), code[len(found[0]):]) {
			err = errors.New(found[1] + " does not contain the excerpt")
		}
		return err
	}
	found := named.FindStringSubmatch(code)
	if found == nil {
		return errors.New("the first line does not name the file")
	}
	file := filepath.Join(place, found[1])
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(code), 0o600)
}

// needs skips the test unless the CLI is Terraform 1.terraform, OpenTofu 1.tofu, or newer.
func (m *machine) needs(t *testing.T, terraform, tofu int) {
	t.Helper()
	(&cli{t: t, path: terraformPath(t)}).needs(terraform, tofu)
}
