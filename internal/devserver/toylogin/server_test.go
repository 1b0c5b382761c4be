package toylogin

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/seal"
)

// TestCodeOnce checks that a code is exchanged once (RFC 6749, 4.1.2), and that a request that is refused doesn't use it up.
func TestCodeOnce(t *testing.T) {
	t.Parallel()
	begin := time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC)
	now := begin
	s := New(func() time.Time { now = now.Add(time.Nanosecond); return now }, seal.NewKey())
	send := func(address string, fields url.Values) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(fields.Encode()))
		r.RemoteAddr = "127.0.0.1:1"
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w
	}
	const back = "http://localhost/back"
	login := send("/authorize?"+url.Values{"client_id": {s.Client().ID}, "redirect_uri": {back}, "response_type": {"code"}}.Encode(),
		url.Values{"user": {"alice"}, "decision": {"allow"}})
	returned, err := url.Parse(login.Header().Get("Location"))
	if err != nil {
		t.Fatal(err)
	}
	code, secret := returned.Query().Get("code"), s.Client().Secret
	older := s.sealed(ofCode, grant{RedirectURI: back, Expires: begin.Add(codeTime)})
	oldest := s.sealed(ofCode, grant{RedirectURI: back, Expires: begin.Add(codeTime / 2)})
	for _, tc := range []struct {
		name, code, redirectURI, secret string
		after                           time.Duration // The login.
		status                          int
	}{
		{"another client", code, back, "wrong", 0, http.StatusUnauthorized},
		{"another redirect_uri", code, back + "/other", secret, 0, http.StatusBadRequest},
		{"first", code, back, secret, 0, http.StatusOK},
		{"second", code, back, secret, 0, http.StatusBadRequest},
		{"without an ID", older, back, secret, 0, http.StatusOK},
		{"another without an ID", oldest, back, secret, 0, http.StatusOK},
		{"second without an ID", older, back, secret, 0, http.StatusBadRequest},
		{"second while it expires", code, back, secret, codeTime - time.Nanosecond, http.StatusBadRequest},
	} {
		now = begin.Add(tc.after)
		answer := send("/token", url.Values{
			"grant_type": {"authorization_code"}, "code": {tc.code}, "redirect_uri": {tc.redirectURI},
			"client_id": {s.Client().ID}, "client_secret": {tc.secret},
		})
		if answer.Code != tc.status {
			t.Errorf("%s: status %d, want %d: %s", tc.name, answer.Code, tc.status, answer.Body)
		}
	}
}
