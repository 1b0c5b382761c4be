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

	"github.com/google/go-cmp/cmp"
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

// complaints returns what could execute scripts or load something, and violations of the content security policy.
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
	switch e.name {
	case "script":
		if e.attrs["src"] == "" || strings.TrimSpace(e.text()) != "" {
			complain("there is a script in the page: %q", e.text())
		}
	case "style", "iframe", "object", "embed", "base", "foreignObject", "image", "use":
		complain("there is an element %s", e.name)
	}
}

// TestMarkup checks that empty pages are well-formed and load nothing from elsewhere; TestHostile checks pages with content. What screen
// readers need is checked by axe-core, in a browser.
func TestMarkup(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	for _, view := range empty() {
		for _, complaint := range complaints(parsePage(t, render(t, p, view))) {
			t.Errorf("%T: %s", view, complaint)
		}
	}
}

// TestNavigationGroups expects the pages in their groups, each with an icon.
func TestNavigationGroups(t *testing.T) {
	t.Parallel()
	page := parsePage(t, render(t, newPages(t), ListenersView{}))
	groups := map[string]string{}
	for _, list := range page.all("ul") {
		if list.parent.attrs["aria-label"] != "Pages" {
			continue
		}
		var names []string
		for _, link := range list.all("a") {
			names = append(names, strings.TrimSpace(link.text()))
			if len(link.all("svg")) != 1 {
				t.Errorf("%s has no icon", link.text())
			}
		}
		groups[list.attrs["aria-label"]] = strings.Join(names, " ")
	}
	want := map[string]string{"Deploy": "Deployments Listeners Integrations OAuth", "Observe": "Projects Datasets Prices", "Server": "Requests Space"}
	if diff := cmp.Diff(want, groups); diff != "" {
		t.Errorf("navigation (-want +got):\n%s", diff)
	}
}

// TestEmptyStates expects that an empty list has something to follow, to run or to write, or that something below it on the page does.
func TestEmptyStates(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	for _, view := range empty() {
		var helpless []string
		for _, e := range parsePage(t, render(t, p, view)).all("main")[0].all() {
			switch {
			case slices.Contains([]string{"a", "code", "pre", "button"}, e.name):
				helpless = nil
			case e.attrs["class"] == "empty large":
				helpless = append(helpless, e.text())
			}
		}
		if len(helpless) > 0 {
			t.Errorf("%T says only %q", view, helpless)
		}
	}
}
