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

// unidiomatic has phrases that were replaced before, and their replacements.
var unidiomatic = map[string]string{
	"tell its operators":                 "report it to the operators",
	"at the disposal of":                 "available to",
	"as far as anybody can tell":         "can't be detected",
	"could not be asked":                 "could not be reached",
	"would lie in the state":             "would be stored in state",
	"changing it changes nothing":        "not sent to the service",
	"a deployment comes, gets a new":     "creates, updates and destroys a deployment",
	"whose the environment is":           "which variables this resource manages",
	"which control plane it is":          "control-plane dialect",
	"default: they always are":           "default: always in effect",
	"the configuration is believed":      "the configured value is adopted",
	"a tracing client of others":         "a third-party tracing client",
	"for runs that failed only":          "only failed runs",
	"shows what it holds at its address": "has a web UI at its root URL",
	"on own hosts":                       "self-hosted",
	"an own host":                        "a self-hosted installation",
	"it was up.":                         "timed out",
	"stands in both":                     "is set in both",
	"exist any more":                     "no longer exists",
	"is set any more":                    "is no longer set",
	"those of others":                    "those set elsewhere",
	"asked at last":                      "the last status check failed",
	"goes on without being":              "continues",
	"lie in the state":                   "are stored in state",
	"nobody looks":                       "processing was not confirmed",
	"is believed":                        "is adopted",
	"believed then":                      "adopted",
	"be asked now":                       "be reached",
	"is of no listener":                  "is unknown",
	"what it holds":                      "its contents",
	"leave it out: it is then":           "omit it to use the default",
	"once that is over":                  "when that has finished",
	"once it is done":                    "when it has finished",
	"by somebody else":                   "by another user",
	"is made anew":                       "is created again",
	"created anew":                       "created again",
	"takes it up":                        "resumes",
	"that people see":                    "display name",
	"people call":                        "label",
	"the service doesn't tell":           "the service doesn't report",
	"installation doesn't tell":          "installation doesn't report it",
	"lower the one":                      "lower one",
	"whose api key the provider has":     "of the provider's API key",
	"what is wrong with it":              "its problems",
	"is no uuid":                         "is not a UUID",
	"is no number":                       "is not a number",
	"is no list":                         "is not a list",
	"terraform can't see":                "Terraform can't detect",
	"makes numbers of them":              "converts them to numbers",
	"blocks the name":                    "reserves the name",
	"ask several times":                  "split it into several queries",
	"are being answered":                 "are in progress",
	"that are on their way":              "being received",
	"bytes together":                     "bytes in total",
	"stand in quotes":                    "must be quoted",
	"nothing goes wrong":                 "has no effect",
	"something else than":                "not",
	"or is another's":                    "belongs to another user",
	"is not known here":                  "is unknown",
	"has no meaning here":                "unexpected",
	"this span of time":                  "this time range",
	"that goes wrong":                    "that fails",
	"started anew":                       "restarted",
	"be tried again after":               "be retried after",
	"there is no role":                   "the format has no role",
	"there is no such part":              "the format has no such part",
	"no regular expression of":           "not a valid regular expression",
	"when that is meant":                 "if that is intended",
	"without looking ahead":              "without lookahead",
	"of the last page, or":               "of the previous page, or",
	"is no address":                      "is not a valid URL",
	"is no project":                      "is not a project",
	"breaks off":                         "ends early",
	"that is expected":                   "expected",
	"keep it to yourself":                "restrict it to this machine",
	"what becomes of":                    "how it becomes, or what happens to it",
	"come and go":                        "are created and destroyed",
	"is held against":                    "is validated against",
	"to go by":                           "to follow",
	"goes by":                            "uses",
	"to play with":                       "to try things out",
	"with something wrong":               "malformed",
	"people look":                        "the page in the UI",
	"on its way out":                     "being deleted",
	"is no error":                        "is not an error",
	"any more":                           "no longer",
	"somebody":                           "another user",
	"is none of":                         "is not one of",
	"that there are":                     "that exist, or leave it out",
	"of others":                          "third-party",
	"anew":                               "again",
	"what there is":                      "what exists",
	"tells apart":                        "distinguishes",
	"for want of":                        "because it is missing",
	"same as at the service":             "same as in the service",
	"the script is for the name":         "use the name you installed it under",
	"is sent as it is":                   "is sent unchanged",
	"correct the configuration":          "fix the problem",
	"correct the cause":                  "fix the problem",
	"which is refused while":             "fails while",
	"goes on with it":                    "resumes it",
}

// unidiomaticComments has phrases that comments in Go must not contain, and their replacements.
var unidiomaticComments = map[string]string{
	"somebody":              "another user, or who it is",
	" anew":                 "again",
	" any more":             "no longer",
	" goes by":              "uses",
	" becomes of":           "happens to",
	"comes of it":           "its result",
	"tells whether":         "reports whether",
	"as far as anybody can": "can't be detected",
	"at the disposal of":    "available to",
	"for want of":           "because it is missing",
	"is no error":           "is not an error",
	"is no list":            "is not a list",
	"is no number":          "is not a number",
	"is no uuid":            "is not a UUID",
	"with something wrong":  "malformed",
	"something else than":   "not",
	"held against":          "validated against",
}

// comment matches a comment in Go.
var comment = regexp.MustCompile(`(?m)(?:^|\s)// (.*)$`)

// unidiomaticCommentsIn lists the unidiomatic phrases in the comments of a Go file.
func unidiomaticCommentsIn(name, code string) []string {
	var text strings.Builder
	for _, match := range comment.FindAllStringSubmatch(code, -1) {
		text.WriteString(" " + match[1])
	}
	return phrasesIn(text.String(), unidiomaticComments, name+": a comment")
}

// phrasesIn lists the phrases that a text says, in any case, with what to write instead.
func phrasesIn(text string, phrases map[string]string, where string) []string {
	text = strings.ToLower(text)
	var problems []string
	for phrase, better := range phrases {
		if strings.Contains(text, phrase) {
			problems = append(problems, where+" says "+phrase+": write "+better)
		}
	}
	slices.Sort(problems)
	return problems
}

// quoted matches a string literal in Go.
var quoted = regexp.MustCompile("\"(?:[^\"\\\\\\n]|\\\\.)*\"|`[^`]*`")

// unidiomaticIn lists the unidiomatic phrases in a text; in Go, only in string literals.
func unidiomaticIn(name, text string) []string {
	if strings.HasSuffix(name, ".go") {
		text = strings.Join(quoted.FindAllString(text, -1), "\n")
		text = strings.ReplaceAll(text, " \"\n\"", " ")
	}
	return phrasesIn(strings.Join(strings.Fields(text), " "), unidiomatic, name)
}

// TestProse keeps unidiomatic phrases out of messages, descriptions, documentation and examples.
func TestProse(t *testing.T) {
	t.Parallel()
	read := 0
	for _, root := range []string{"../README.md", "../CHANGELOG.md", "../CONTRIBUTING.md", "../.github", "../templates", "../examples", "api", "client", "cmd", "devserver", "framework", "llmrun", "provider", "rollout"} {
		err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || strings.HasSuffix(name, "_test.go") ||
				!slices.Contains([]string{".go", ".md", ".tmpl", ".tf", ".yml", ".html", ".js"}, filepath.Ext(name)) {
				return err
			}
			text, err := os.ReadFile(name)
			for _, problem := range unidiomaticIn(name, string(text)) {
				t.Error(problem)
			}
			read++
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if read < 200 {
		t.Errorf("read %d files, want at least 200", read)
	}
}

// TestProse_comments keeps unidiomatic phrases out of comments in Go, including those of tests.
func TestProse_comments(t *testing.T) {
	t.Parallel()
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(name) != ".go" {
			return err
		}
		code, err := os.ReadFile(name)
		for _, problem := range unidiomaticCommentsIn(name, string(code)) {
			t.Error(problem)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := unidiomaticCommentsIn("a.go", "x := 1 /\x2f It is not set\n/\x2f any more.\nvar y = \"somebody\""); len(got) != 1 {
		t.Error(got)
	}
}

func TestBrokenProse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"`x` + \"It is at the disposal \" +\n\t\t\"of all.\"": 1, "// It is at the disposal of all.": 0, `"It is self-hosted."`: 0,
	} {
		if got := unidiomaticIn("a.go", text); len(got) != want {
			t.Errorf("%s: unidiomaticIn = %v, want %d phrases", text, got, want)
		}
	}
	if got := unidiomaticIn("a.md", "It is at the\ndisposal of all."); len(got) != 1 {
		t.Error(got)
	}
}
