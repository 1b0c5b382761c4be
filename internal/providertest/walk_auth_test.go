package providertest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
)

const auth = "/v2/auth"

// logins are the operations of the auth service that have query parameters.
func (p *controlPlane) logins() []walk {
	for _, provider := range []string{"calendar", "mail"} {
		p.must(http.MethodPost, auth+"/providers", object{
			"provider_id": provider, "name": provider, "client_id": "c", "client_secret": "s",
			"auth_url": "https://" + provider + ".example/auth", "token_url": "https://" + provider + ".invalid/token",
		})
		p.must(http.MethodPost, auth+"/tokens/import", object{"provider_id": provider, "access_token": "a"})
	}
	p.filters["GET "+auth+"/tokens provider_id"] = [2]any{"calendar", "other"}
	p.filters["GET "+auth+"/token-events provider_id"] = [2]any{"calendar", "mail"}
	p.filters["GET "+auth+"/token-events limit"] = [2]any{1.0, nil}
	exists := func(provider string) string {
		_, _, text := p.send(http.MethodGet, probe{path: auth + "/tokens/exists?provider_id=" + provider})
		return text
	}
	p.effects["GET "+auth+"/tokens/exists provider_id"] = func() string {
		if has, none := exists("calendar"), exists("other"); has == none {
			return "is ignored: the answer is always " + has
		}
		return ""
	}
	p.effects["DELETE "+auth+"/tokens provider_id"] = func() string {
		p.must(http.MethodDelete, auth+"/tokens?provider_id=mail", nil)
		if deleted, kept := exists("mail"), exists("calendar"); deleted == kept {
			return fmt.Sprintf("is ignored: both providers answer %s", kept)
		}
		return ""
	}
	// How long a request waits is measured by tests of the auth service.
	p.effects["GET "+auth+"/wait/{auth_id} timeout"] = func() string {
		if status, _, text := p.send(http.MethodGet, probe{path: auth + "/wait/" + nobody + "?timeout=-1"}); status != http.StatusUnprocessableEntity {
			return fmt.Sprintf("-1 is answered with %d %s", status, text)
		}
		return ""
	}
	walks := []walk{}
	for does, query := range map[string]url.Values{
		"GET /tokens": nil, "GET /token-events": nil, "GET /tokens/exists": {"provider_id": {"calendar"}}, "DELETE /tokens": {"provider_id": {"nothing"}},
		"GET /wait/{auth_id}": nil, "GET /callback/{provider_id}": nil, "GET /setup/{provider_id}": nil,
	} {
		method, path, _ := strings.Cut(does, " ")
		does, path = method+" "+auth+path, strings.NewReplacer("{auth_id}", nobody, "{provider_id}", "calendar").Replace(auth+path)
		walks = append(walks, walk{does: does, bases: []base{func() probe { return probe{path: path, query: query} }}})
		if !strings.Contains(path, "/calendar") {
			continue
		}
		for name, shown := range map[string]string{
			"error": "access_denied", "error_description": "by policy", "code": "calendar.invalid", "state": "", "installation_id": "not a number", "setup_action": "",
		} {
			p.effects[does+" "+name] = func() string { return p.returns(path, name, shown) }
		}
	}
	for _, name := range []string{"code", "state", "error", "error_description"} {
		p.stricter = append(p.stricter, stricter{"", name, "Not connected", "it is of a login that is open"})
	}
	return walks
}

// returns sends a browser back from a login, and looks for the effect of a parameter: without it, the page doesn't show a text.
func (p *controlPlane) returns(path, name, shown string) string {
	page := func(without string) string {
		at, err := url.Parse(p.text(p.must(http.MethodPost, auth+"/authenticate", object{"provider": "calendar", "scopes": []any{"new"}}), "url"))
		if err != nil {
			p.t.Fatal(err)
		}
		query := url.Values{"state": at.Query()["state"], "error": {"access_denied"}, "error_description": {"by policy"}}
		switch name {
		case "code":
			query = url.Values{"state": at.Query()["state"], "code": {"c"}}
		case "installation_id", "setup_action":
			query = url.Values{name: {"x"}}
		}
		query.Del(without)
		recorder := httptest.NewRecorder()
		p.handler.ServeHTTP(recorder, httptest.NewRequestWithContext(p.t.Context(), http.MethodGet, "http://localhost"+path+"?"+query.Encode(), http.NoBody))
		return recorder.Body.String()
	}
	with, without := page(""), page(name)
	switch {
	case name == "setup_action":
		return "" // What an app was installed for changes nothing here.
	case with == without, !strings.Contains(with, shown):
		return fmt.Sprintf("is ignored: %s and, without it, %s", with, without)
	}
	return ""
}
