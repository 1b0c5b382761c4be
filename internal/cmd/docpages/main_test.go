package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// nested is the section of a nested attribute as the documentation generator writes it.
func nested(path, text string) string {
	anchor := "nestedatt--" + strings.ReplaceAll(path, ".", "--")
	return "<a id=\"" + anchor + "\"></a>\n### Nested Schema for `" + path + "`\n\n" + strings.ReplaceAll(text, "HERE", anchor) + "\n\n"
}

const (
	container = "Optional:\n\n- `env` (Attributes List) Environment variables of the container. (see [below for nested schema](#HERE--env))\n"
	variables = "Required:\n\n- `name` (String) Name of the variable, a C identifier.\n\nOptional:\n\n- `value` (String) Its value. Default: empty.\n"
	more      = "- `more` (String) More.\n"
	short     = "Required:\n\n- `name` (String) Name.\n"
)

func TestRun(t *testing.T) {
	t.Parallel()
	head := "---\npage_title: \"Page\"\ndescription: |-\n  A page, e.g. this. And more.\n  And a paragraph.\n---\n\n"
	begin, end := head+"# page\n\n<!-- table of packages -->\n\n## Schema\n\n", "## Import\n\n<!-- table of libraries -->\n"
	page := filepath.Join(t.TempDir(), "page.md")
	text := begin + nested("spec", container) + nested("spec.env", variables) + nested("other", container) + nested("other.env", short) +
		nested("again", container) + nested("again.env", variables) + nested("last", short) + end
	if err := os.WriteFile(page, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	corpus := t.TempDir()
	for name, text := range map[string]string{
		"expected/a.txt": "# Library: First\n# Packages: one, two\n# Not sent: threads\nllm a\n", "expected/b.txt": "# Library: Last\n# Packages: one\n",
		"expected/c.txt":     "# Library: Later\n# Written from: owner/name 1\n",
		"recorded/a.json.gz": `{"method":"GET"}{"packages":{"one":"1.0","two":"2.0","other":"3.0"}}`, "recorded/b.json.gz": `{"packages":{"one":"0.9"}}`,
	} {
		path := filepath.Join(corpus, name)
		if strings.HasSuffix(name, ".gz") {
			var b bytes.Buffer
			w := gzip.NewWriter(&b)
			_, err := w.Write([]byte(text))
			if text = ""; errors.Join(err, w.Close()) == nil {
				text = b.String()
			}
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := run(filepath.Dir(page), corpus); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	// The second differs below itself, the third is a link, and the last is shorter than a link.
	brief := strings.Replace(container, "below for nested schema", "below", 1)
	begin = strings.Replace(begin, "this. And more.\n  And a paragraph.", "this.", 1)
	begin = strings.Replace(begin, "<!-- table of packages -->\n", "| Package | Versions |\n| --- | --- |\n| `one` | 0.9, 1.0 |\n| `two` | 2.0 |\n", 1)
	end = "## Import\n\n| Library | Versions | Not sent by the library |\n| --- | --- | --- |\n| First | `one` 1.0, `two` 2.0 | threads |\n" +
		"| Last | `one` 0.9 | |\n| Later | written from owner/name 1 | |\n"
	want := begin + nested("spec", brief) + nested("spec.env", variables) + nested("other", brief) + nested("other.env", short) +
		nested("again", "The same as for [`spec`](#nestedatt--spec).") + strings.TrimRight(nested("last", short), "\n") + "\n\n" + end
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
	generated := func(name, text string) []section { return sectionsOf("## Schema\n\n"+text, name) }
	if again := shorten(string(got), page, sectionsOf(string(got), page)); again != string(got) {
		t.Errorf("a second run changes the page: %s", cmp.Diff(string(got), again))
	}
	long := strings.Repeat(variables, 10)
	for _, test := range []struct {
		name, other, text, page, want string
	}{
		{"a long section that an earlier page has", "data-sources/a.md", nested("spec", long), "data-sources/bs.md",
			"The same as for [`spec` of `agentplane_a`](a.md#nestedatt--spec)."},
		{"that of a page in another directory", "actions/a.md", nested("spec", long), "data-sources/bs.md", ""},
		{"that of the resource", "resources/b.md", nested("spec", long+more), "data-sources/b.md",
			"The attributes of the resource [`spec` of `agentplane_b`](../resources/b.md#nestedatt--spec), except `more`."},
		{"the list of what another data source reads", "data-sources/b.md", long, "data-sources/bs.md",
			"The attributes of the data source [`agentplane_b`](b.md#schema)."},
		{"another type than that of the resource", "resources/b.md", nested("spec", strings.ReplaceAll(long, "String", "Number")), "data-sources/b.md", ""},
		{"more than the resource has", "resources/b.md", nested("spec", short), "data-sources/b.md", ""},
	} {
		text := "## Schema\n\n" + nested("spec", long)
		want := text
		if test.want != "" {
			want = "## Schema\n\n" + nested("spec", test.want)
		}
		got := shorten(text, test.page, append(generated(test.other, test.text), generated(test.page, nested("spec", long))...))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
	const remark = "> **NOTE**: [Write-only arguments](https://example.com) are supported.\n\n"
	if got, want := oneNote(remark+"- `a`\n\n"+remark+"- `b`\n"), remark+"- `a`\n\n- `b`\n"; got != want {
		t.Errorf("notes: %s", cmp.Diff(want, got))
	}
	const first, second = "- `a` (Number, Deprecated) One.\n", "- `b` (Number) Two.\n"
	if got, want := deprecatedLast("Optional:\n\n"+first+second+"\nRead-Only:\n\n"+first), "Optional:\n\n"+second+first+"\nRead-Only:\n\n"+first; got != want {
		t.Errorf("deprecated attributes: %s", cmp.Diff(want, got))
	}
	if got := shorten("# page\n", page, nil); got != "# page\n" {
		t.Errorf("a page without nested attributes becomes %q", got)
	}
}
