package web

import (
	"bytes"
	"html/template"
	"strings"
	"sync"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	goldmarkhtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"
)

// newMarkdown returns a text from models or people, rendered as Markdown, or as JSON if it is that, unless it is too long.
func newMarkdown(text string, r *room) longText {
	t := newLongText(text, r)
	if t.Omitted > 0 || t.Text == "" {
		return t
	}
	if isJSON(t.Text) {
		t.JSON = readable([]byte(strings.TrimSpace(t.Text)))
		t.Folded = len(t.JSON) > foldedFrom || strings.Count(t.JSON, "\n") > foldedLines
		return t
	}
	if len(t.Text) > maxMarkdown {
		return t // It is shown unchanged.
	}
	var b bytes.Buffer
	if err := markdown().Convert([]byte(t.Text), &b); err != nil {
		return t
	}
	safe := sanitizer().SanitizeBytes(b.Bytes())
	if more := len(safe) - len(template.HTMLEscapeString(t.Text)); len(bytes.TrimSpace(safe)) > 0 && more < r.left {
		t.HTML = template.HTML(safe) //nolint:gosec // It was sanitized.
		r.left -= max(0, more)
	}
	return t
}

// maxMarkdown is the size from which a text isn't rendered: some texts take a time that grows with its square.
const maxMarkdown = 8 << 10

// markdown converts text to HTML. Markup in the text is shown as text, so that nothing in a model's answer is hidden.
var markdown = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(
			extension.Strikethrough, extension.Linkify, extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignNone)),
		),
		goldmark.WithRendererOptions(
			goldmarkhtml.WithXHTML(), goldmarkhtml.WithHardWraps(),
			renderer.WithNodeRenderers(util.Prioritized(plainNodes{}, 1)),
		),
	)
})

// sanitizer allows only what the renderer writes.
var sanitizer = sync.OnceValue(func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "em", "strong", "del", "code", "pre", "blockquote", "ul", "ol", "li", "div", "table", "thead", "tbody", "tr", "th", "td")
	p.AllowAttrs("class").Matching(bluemonday.SpaceSeparatedTokens).OnElements("p", "div")
	p.AllowAttrs("tabindex", "role", "aria-label").OnElements("pre", "div")
	p.AllowAttrs("href").OnElements("a")
	p.AllowURLSchemes("https", "http")
	p.AllowRelativeURLs(false)
	p.RequireNoReferrerOnLinks(true)
	p.AddTargetBlankToFullyQualifiedLinks(true)
	return p
})

// plainNodes render what a page can't contain unchanged: headings, which would become the page's own, images, which would
// be loaded, and markup.
type plainNodes struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (plainNodes) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(extast.KindTable, wrap(`<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>`+"\n", "</table></div>\n"))
	r.Register(ast.KindHeading, wrap(`<p class="heading">`, "</p>\n"))
	r.Register(ast.KindRawHTML, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if raw, is := n.(*ast.RawHTML); is && entering {
			for i := range raw.Segments.Len() {
				segment := raw.Segments.At(i)
				template.HTMLEscape(w, segment.Value(source))
			}
		}
		return ast.WalkSkipChildren, nil
	})
	r.Register(ast.KindHTMLBlock, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		_, _ = w.WriteString("<p>")
		writeLines(w, source, n)
		if block, is := n.(*ast.HTMLBlock); is && block.HasClosure() {
			template.HTMLEscape(w, block.ClosureLine.Value(source))
		}
		_, _ = w.WriteString("</p>\n")
		return ast.WalkContinue, nil
	})
	r.Register(ast.KindImage, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if image, is := n.(*ast.Image); is && !entering {
			_, _ = w.WriteString(" (image ")
			template.HTMLEscape(w, image.Destination)
			_, _ = w.WriteString(")")
		}
		return ast.WalkContinue, nil
	})
	for _, kind := range []ast.NodeKind{ast.KindCodeBlock, ast.KindFencedCodeBlock} {
		r.Register(kind, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
			if entering {
				_, _ = w.WriteString(`<pre tabindex="0" role="group" aria-label="Code"><code>`)
				writeLines(w, source, n)
				_, _ = w.WriteString("</code></pre>\n")
			}
			return ast.WalkContinue, nil
		})
	}
}

func wrap(before, after string) renderer.NodeRendererFunc {
	return func(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
		text := after
		if entering {
			text = before
		}
		_, err := w.WriteString(text)
		return ast.WalkContinue, err
	}
}

func writeLines(w util.BufWriter, source []byte, n ast.Node) {
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		template.HTMLEscape(w, line.Value(source))
	}
}
