package web

import (
	"strings"
	"testing"
)

// TestMarkdown checks that the HTML for a text is safe, well-formed and complete.
func TestMarkdown(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain":                  "<p>plain</p>",
		"**bold** and *slanted*": "<p><strong>bold</strong> and <em>slanted</em></p>",
		"one\ntwo":               "<p>one<br/>\ntwo</p>",
		"# Title":                `<p class="heading">Title</p>`,
		"- a\n- b":               "<ul>\n<li>a</li>\n<li>b</li>\n</ul>",
		"```go\na < b\n```":      `<pre tabindex="0" role="group" aria-label="Code"><code>a &lt; b` + "\n</code></pre>",
		"| a | b |\n|---|:-:|\n| 1 | `2` |": `<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>` + "\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n" +
			"<tbody>\n<tr>\n<td>1</td>\n<td><code>2</code></td>\n</tr>\n</tbody>\n</table></div>",
		"> said":                           "<blockquote>\n<p>said</p>\n</blockquote>",
		"[x](https://example.com/a)":       `<p><a href="https://example.com/a" rel="noreferrer noopener" target="_blank">x</a></p>`,
		"see https://example.com":          `<p>see <a href="https://example.com" rel="noreferrer noopener" target="_blank">https://example.com</a></p>`,
		"[x](javascript:alert(1))":         "<p>x</p>",
		"[x](/ui/run)":                     "<p>x</p>",
		"![a](https://example.com/a.png)":  "<p>a (image https://example.com/a.png)</p>",
		"a <script>alert(1)</script> b":    "<p>a &lt;script&gt;alert(1)&lt;/script&gt; b</p>",
		"<div onclick=x>\n\n*a*\n\n</div>": "<p>&lt;div onclick=x&gt;\n</p>\n<p><em>a</em></p>\n<p>&lt;/div&gt;</p>",
		"<!-- hidden -->":                  "<p>&lt;!-- hidden --&gt;</p>",
		"<![CDATA[ x ]]>":                  "<p>&lt;![CDATA[ x ]]&gt;</p>",
	} {
		got := strings.TrimSpace(string(newMarkdown(text, &room{1 << 20}).HTML))
		if got != want {
			t.Errorf("HTML of %q = %s, want %s", text, got, want)
		}
		parsePage(t, "<div>"+got+"</div>")
	}
}

// TestFolded checks that only the beginning of long texts is shown, and that a page contains no more of them than it has room for.
func TestFolded(t *testing.T) {
	t.Parallel()
	r := room{sideRoom}
	long := newMarkdown(strings.Repeat("line\n", 200_000), &r)
	if !long.Folded || long.Lines != 200_001 || long.Size != 1_000_000 || len(long.Text)+len(long.Tail) != maxText || long.Omitted != 1_000_000-maxText || long.HTML != "" {
		t.Errorf("folded: %v, %d lines, %d bytes, %d omitted; want true, 200001, 1000000 and all but %d", long.Folded, long.Lines, long.Size, long.Omitted, maxText)
	}
	if !strings.HasPrefix(long.Head, "line line") || len(long.Head) > 2*headLength {
		t.Errorf("head = %q, want the beginning of the text", long.Head)
	}
	total := 0
	for range 100 {
		total += len(newLongText(strings.Repeat(`"<&`, 5000), &r).Text)
	}
	if total > sideRoom {
		t.Errorf("%d bytes on the page, want at most %d", total, sideRoom)
	}
	if all := newMarkdown("short", &room{1000}); all.Folded || all.Omitted != 0 {
		t.Errorf("short text = %+v, want it neither folded nor cut", all)
	}
}
