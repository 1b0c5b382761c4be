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
	s := New(time.Now, seal.NewKey())
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
	for _, tc := range []struct {
		name, secret string
		status       int
	}{
		{"another client", "wrong", http.StatusUnauthorized},
		{"first", s.Client().Secret, http.StatusOK},
		{"second", s.Client().Secret, http.StatusBadRequest},
	} {
		answer := send("/token", url.Values{
			"grant_type": {"authorization_code"}, "code": {returned.Query().Get("code")}, "redirect_uri": {back},
			"client_id": {s.Client().ID}, "client_secret": {tc.secret},
		})
		if answer.Code != tc.status {
			t.Errorf("%s: status %d, want %d: %s", tc.name, answer.Code, tc.status, answer.Body)
		}
	}
}
