package pages_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// savedViews returns the names of the views on a page, and their addresses.
func savedViews(p *plane, path string) map[string]string {
	text := string(p.Do(http.MethodGet, path, nil).Want(http.StatusOK).Body)
	all := map[string]string{}
	for _, link := range regexp.MustCompile(`<li><a href="([^"]+)"[^>]*>([^<]+)</a>\s*<form method="post"`).FindAllStringSubmatch(text, -1) {
		all[html.UnescapeString(link[2])] = html.UnescapeString(link[1])
	}
	return all
}

// TestSavedViews saves views for the user of a key, whom others don't see, and deletes one.
func TestSavedViews(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{Keys: []devserver.Key{
		{Value: "ada-key", User: "ada", Workspaces: []string{devservertest.WorkspaceA}}, {Value: "bob-key", User: "bob", Workspaces: []string{devservertest.WorkspaceA}},
	}})
	ada, bob := p.As("X-Api-Key", "ada-key"), p.As("X-Api-Key", "bob-key")
	ada.Do(http.MethodPost, "/runs", devservertest.RootRun(object{"session_name": "chat"})).Want(http.StatusAccepted)
	path := "/ui/projects/" + devservertest.Get[[]object](ada, "/sessions?name=chat")[0]["id"].(string)
	post := func(key string, form url.Values, header ...string) int {
		t.Helper()
		status, _ := submit(t, p, path+"/views", form, append([]string{"X-Api-Key", key}, header...)...)
		return status
	}
	const query = "q=status%3Aerror+latency%3E2s&range=7d&sort=latency"
	for name, tc := range map[string]struct {
		form   url.Values
		header []string
		want   int
	}{
		"a view":          {url.Values{"name": {" slow  failures "}, "query": {query + "&cursor=x&evil=y"}}, nil, http.StatusOK},
		"without a name":  {url.Values{"name": {" "}, "query": {query}}, nil, http.StatusBadRequest},
		"a long name":     {url.Values{"name": {strings.Repeat("x", 101)}, "query": {query}}, nil, http.StatusBadRequest},
		"a long search":   {url.Values{"name": {"x"}, "query": {"q=" + strings.Repeat("x", 5000)}}, nil, http.StatusBadRequest},
		"no query":        {url.Values{"name": {"x"}, "query": {"%zz"}}, nil, http.StatusBadRequest},
		"another website": {url.Values{"name": {"x"}, "query": {query}}, []string{"Sec-Fetch-Site", "cross-site"}, http.StatusForbidden},
		"markup":          {url.Values{"name": {"<b>bold</b>"}, "query": {"q=%3Cb%3E"}}, nil, http.StatusOK},
	} {
		if got := post("ada-key", tc.form, tc.header...); got != tc.want {
			t.Errorf("%s: status %d, want %d", name, got, tc.want)
		}
	}
	want := map[string]string{"slow failures": path + "?" + query, "<b>bold</b>": path + "?q=%3Cb%3E"}
	devservertest.Same(t, "views", want, savedViews(ada, path))
	if got := savedViews(bob, path); len(got) != 0 {
		t.Errorf("another user sees %v, want nothing", got)
	}
	if text := read(ada, path+"?"+query); !strings.Contains(text, `aria-current="true">slow failures</a>`) {
		t.Error("the shown view isn't marked")
	}
	post("ada-key", url.Values{"name": {"slow failures"}, "query": {"q=other"}})
	post("bob-key", url.Values{"name": {"<b>bold</b>"}, "delete": {"delete"}})
	if got := savedViews(ada, path); len(got) != 2 || got["slow failures"] != path+"?q=other" {
		t.Errorf("views = %v, want the second search under the same name, and that of another user not deleted", got)
	}
	post("ada-key", url.Values{"name": {"slow failures"}, "delete": {"delete"}})
	if got := savedViews(ada, path); len(got) != 1 {
		t.Errorf("after a deletion, the views are %v, want one", got)
	}
	for i := range 100 {
		if status := post("bob-key", url.Values{"name": {fmt.Sprint("view ", i)}, "query": {query}}); status != http.StatusOK {
			t.Fatalf("view %d: status %d, want 200", i, status)
		}
	}
	if status := post("bob-key", url.Values{"name": {"one more"}, "query": {query}}); status != http.StatusBadRequest {
		t.Errorf("view 101: status %d, want 400", status)
	}
	ada.Do(http.MethodGet, path+"/views", nil).Want(http.StatusNotFound)
	if status, _ := submit(t, p, "/ui/projects/"+nobody+"/views", url.Values{"name": {"x"}, "query": {query}}, "X-Api-Key", "ada-key"); status != http.StatusNotFound {
		t.Errorf("a view of no project: status %d, want 404", status)
	}
	ada.Do(http.MethodDelete, strings.Replace(path, "/ui/projects/", "/sessions/", 1), nil).Want(http.StatusAccepted)
}

// TestSaveView_unraced saves a search in two actions and finds it again.
func TestSaveView_unraced(t *testing.T) {
	t.Parallel()
	devservertest.StartBudget(t, "a saved view in Chromium", 20*time.Second)
	p, path := browsed(t)
	n := 0
	onScreens(t, func(b *tab) {
		n++
		name := fmt.Sprint("failures ", n)
		b.open(p.Web.URL + path + "?q=status:error").unfold()
		b.do(chromedp.SetValue("#view", name))
		b.click(`form[aria-label="Save this view"] button`).says(name)
		b.open(p.Web.URL + path)
		b.follow(name, "second").wait(`ul[aria-label="Terms of the search"]`)
		if got := value[string](b, `document.querySelector("#q").value`); got != "status:error" {
			t.Errorf("the search of the view = %q, want status:error", got)
		}
		b.sees(name, "status:error")
	})
}
