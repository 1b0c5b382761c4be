package web

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

// element is an element of a page. Pages are well-formed XML, so that parsing needs no HTML rules.
type element struct {
	name     string
	attrs    map[string]string
	said     string // The text of a text node, which has no name.
	parent   *element
	children []*element
}

// parsePage parses a page or a fragment.
func parsePage(t testing.TB, page string) *element {
	t.Helper()
	decoder := xml.NewDecoder(strings.NewReader(page))
	root := &element{}
	at := root
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return root
		}
		if err != nil {
			t.Fatalf("the page isn't well-formed: %v\n%s", err, page)
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := &element{name: token.Name.Local, attrs: map[string]string{}, parent: at}
			for _, a := range token.Attr {
				e.attrs[a.Name.Local] = a.Value
			}
			at.children = append(at.children, e)
			at = e
		case xml.EndElement:
			at = at.parent
		case xml.CharData:
			at.children = append(at.children, &element{said: string(token), parent: at})
		}
	}
}

// all returns the elements with any of the given names, or all elements, in order.
func (e *element) all(names ...string) []*element {
	var found []*element
	for _, child := range e.children {
		if child.name == "" {
			continue
		}
		if len(names) == 0 || slices.Contains(names, child.name) {
			found = append(found, child)
		}
		found = append(found, child.all(names...)...)
	}
	return found
}

// text returns the text of the element and its descendants.
func (e *element) text() string {
	texts := []string{e.said}
	for _, child := range e.children {
		texts = append(texts, child.text())
	}
	return strings.Join(texts, "")
}

func (e *element) within(name string) bool {
	for p := e.parent; p != nil; p = p.parent {
		if p.name == name {
			return true
		}
	}
	return false
}

// inMarkdown reports whether an element was made from Markdown, so that the text determines it.
func (e *element) inMarkdown() bool {
	for p := e.parent; p != nil; p = p.parent {
		if p.attrs["class"] == "markdown" {
			return true
		}
	}
	return false
}

// shape returns the structure of the page: names of elements and attributes, without line breaks and Markdown.
func (e *element) shape() []string {
	var all []string
	for _, child := range e.all() {
		if child.name == "br" || child.inMarkdown() {
			continue
		}
		var attrs []string
		for name := range child.attrs {
			attrs = append(attrs, name)
		}
		slices.Sort(attrs)
		all = append(all, child.name+" "+strings.Join(attrs, " "))
	}
	return all
}

// complaints returns problems of a page: for readers, for screen readers, or violations of the content security policy.
func complaints(page *element) []string {
	var all []string
	complain := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	for _, e := range page.all() {
		for name, value := range e.attrs {
			if strings.HasPrefix(name, "on") || name == "style" || name == "srcdoc" {
				complain("%s has the attribute %s", e.name, name)
			}
			if name == "href" || name == "src" || name == "action" {
				if complaint := badAddress(e, name, value); complaint != "" {
					complain("%s", complaint)
				}
			}
		}
		complainOfElement(e, complain)
	}
	complainOfWhole(page, complain)
	return all
}

// badAddress returns what is wrong with a URL.
func badAddress(e *element, attribute, value string) string {
	u, err := url.Parse(value)
	switch {
	case err != nil || strings.Contains(value, "ZgotmplZ"):
		return fmt.Sprintf("%s has the %s %q", e.name, attribute, value)
	case u.Scheme == "" && u.Host == "":
	case e.name == "a" && (u.Scheme == "https" || u.Scheme == "http"):
		if e.attrs["target"] != "_blank" || !strings.Contains(e.attrs["rel"], "noopener") || !strings.Contains(e.attrs["rel"], "noreferrer") {
			return fmt.Sprintf("the link to %s tells where it comes from", value)
		}
	case slices.Contains(mediaTypes[mediaElements[e.name]], mediaType(value)):
	default:
		return fmt.Sprintf("%s loads %s", e.name, value)
	}
	return ""
}

// mediaElements has the type of block that each element shows.
var mediaElements = map[string]string{"img": "image", "audio": "audio", "video": "video"}

// mediaType returns the media type of a base64 data URL; empty for other URLs.
func mediaType(address string) string {
	head, _, _ := strings.Cut(address, ",")
	mimeType, base64 := strings.CutSuffix(strings.TrimPrefix(head, "data:"), ";base64")
	if !base64 {
		return ""
	}
	return mimeType
}

func complainOfElement(e *element, complain func(string, ...any)) {
	name := strings.TrimSpace(e.attrs["aria-label"] + e.attrs["aria-labelledby"])
	switch e.name {
	case "script":
		if e.attrs["src"] == "" || strings.TrimSpace(e.text()) != "" {
			complain("there is a script in the page: %q", e.text())
		}
	case "style", "iframe", "object", "embed", "base", "foreignObject", "image", "use":
		complain("there is an element %s", e.name)
	case "img":
		if e.attrs["alt"] == "" {
			complain("an image has no text")
		}
	case "audio", "video", "nav", "form":
		if name == "" {
			complain("%s has no label", e.name)
		}
	case "svg":
		named := slices.ContainsFunc(e.children, func(child *element) bool { return child.name == "title" })
		if e.attrs["aria-hidden"] != "true" && (e.attrs["role"] != "img" && e.attrs["role"] != "group" || !named) {
			complain("a drawing says nothing")
		}
	case "table":
		if captions := e.all("caption"); len(captions) != 1 || strings.TrimSpace(captions[0].text()) == "" {
			complain("a table has no caption")
		}
		if p := e.parent; p.attrs["role"] != "region" || p.attrs["tabindex"] != "0" || p.attrs["aria-label"] == "" {
			complain("a table doesn't scroll in a region of its own")
		}
	case "th":
		if e.attrs["scope"] == "" {
			complain("the head %q has no scope", e.text())
		}
	case "time":
		if _, err := time.Parse(time.RFC3339Nano, e.attrs["datetime"]); err != nil {
			complain("%v", err)
		}
	case "a", "button", "summary", "h1", "h2", "h3":
		if strings.TrimSpace(e.text()) == "" {
			complain("%s is empty", e.name)
		}
	case "pre":
		if e.attrs["tabindex"] != "0" || e.attrs["aria-label"] == "" {
			complain("what scrolls can't be reached by keyboard")
		}
	}
}

// complainOfWhole checks the relations between elements.
func complainOfWhole(page *element, complain func(string, ...any)) {
	ids, regions, labelled := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, e := range page.all() {
		if id, has := e.attrs["id"]; has {
			if ids[id] {
				complain("the id %q is there twice", id)
			}
			ids[id] = true
		}
		if e.attrs["role"] == "region" {
			if label := e.attrs["aria-label"]; regions[label] {
				complain("two regions have the label %q", label)
			}
			regions[e.attrs["aria-label"]] = true
		}
		if e.name == "label" {
			labelled[e.attrs["for"]] = true
		}
	}
	for _, e := range page.all("input", "select", "textarea") {
		if e.attrs["type"] == "hidden" {
			continue
		}
		if !labelled[e.attrs["id"]] {
			complain("the field %s has no label", e.attrs["name"])
		}
	}
	for _, e := range page.all("a") {
		if target, is := strings.CutPrefix(e.attrs["href"], "#"); is && !ids[target] {
			complain("a link leads to #%s, which isn't there", target)
		}
	}
	level := 0
	if len(page.all("h1")) == 0 {
		level = 2 // A fragment.
	}
	for _, h := range page.all("h1", "h2", "h3", "h4") {
		now := int(h.name[1] - '0')
		if now > level+1 {
			complain("after a heading of level %d comes %s %q", level, h.name, h.text())
		}
		level = now
	}
}

// TestMarkup checks that the markup of pages is accessible, with any content.
func TestMarkup(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	for kind, views := range map[string][]any{"full": full(), "empty": empty()} {
		for _, view := range views {
			t.Run(fmt.Sprintf("%s %T", kind, view), func(t *testing.T) {
				t.Parallel()
				page := parsePage(t, render(t, p, view))
				for _, complaint := range complaints(page) {
					t.Error(complaint)
				}
				root := page.all("html")
				if len(root) != 1 || root[0].attrs["lang"] != "en" {
					t.Error("the page has no root element with lang=\"en\"")
				}
				for _, name := range []string{"head", "header", "main", "footer", "h1"} {
					if n := len(page.all(name)); n != 1 {
						t.Errorf("%d elements %s, want 1", n, name)
					}
				}
				if titles := page.all("head")[0].all("title"); len(titles) != 1 || !strings.HasSuffix(titles[0].text(), " · Agentplane dev server") {
					t.Errorf("%d titles, want one that ends with the server's name", len(titles))
				}
				if first := page.all("a")[0]; first.attrs["href"] != "#main" || page.all("main")[0].attrs["id"] != "main" {
					t.Error("the first link doesn't go to the main content")
				}
				for _, h := range page.all("h1") {
					if !h.within("main") {
						t.Error("the heading isn't in the main element")
					}
				}
			})
		}
	}
}
