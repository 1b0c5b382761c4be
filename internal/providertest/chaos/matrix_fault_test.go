package chaos

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"time"
)

// statuses are the statuses from 300 to 599 of the matrix: those of the HTTP registry that a service or a proxy may send, and
// those of gateways (520 to 530). There is no 1xx, because clients skip them, and no 2xx, because odd bodies have those.
var statuses = []int{
	300, 301, 302, 304, 307, 308,
	400, 401, 402, 403, 404, 405, 406, 408, 409, 410, 413, 415, 418, 421, 422, 425, 429, 431, 451,
	500, 501, 502, 503, 504, 507, 508, 520, 521, 522, 523, 524, 530,
}

// detailed are the statuses that the service itself is documented to send, with JSON that explains them.
var detailed = []int{400, 401, 403, 404, 409, 422, 429, 500, 503}

// wrongAnswer is one way in which a request fails.
type wrongAnswer struct {
	class, name string
	// needsBody: the answer is made of the right one.
	needsBody bool
	// say answers in place of the service. done is its own answer; nil if it didn't process the request. It returns false if
	// the wrong answer would be the right one, or if there is none for this request.
	say func(f *faulty, w http.ResponseWriter, kind string, done *httptest.ResponseRecorder) bool
}

// Classes of wrong answers.
const (
	classRedirect   = "3xx"
	classRefusal    = "4xx"
	classOutage     = "5xx"
	classDetail     = "documented refusal"
	classBody       = "odd 2xx body"
	classObject     = "2xx with another state"
	classConnection = "no answer"
)

// wrongAnswers are all of them.
func wrongAnswers() []wrongAnswer {
	var all []wrongAnswer
	for _, status := range statuses {
		class := map[int]string{3: classRedirect, 4: classRefusal, 5: classOutage}[status/100]
		all = append(all, wrongAnswer{class, fmt.Sprint("status ", status), false, fixed(status, "text/html", errorPage)})
	}
	for _, status := range detailed {
		all = append(all, wrongAnswer{classDetail, fmt.Sprintf("status %d with detail", status), false,
			fixed(status, "application/json", fmt.Sprintf(`{"detail": "injected %d"}`, status))})
	}
	all = append(all, wrongAnswer{classBody, "an empty body", false, fixed(http.StatusOK, "application/json", "")})
	for _, body := range []string{"null", "{}", "[]", `{"status":"ok"}`} {
		all = append(all, wrongAnswer{classBody, body, false, fixed(http.StatusOK, "application/json", body)})
	}
	return append(all,
		wrongAnswer{classBody, "status 204", false, fixed(http.StatusNoContent, "", "")},
		wrongAnswer{classBody, "a page", false, fixed(http.StatusOK, "text/html", errorPage)},
		wrongAnswer{classBody, "half of it", true, halfOf},
		wrongAnswer{classObject, oldObject, true, from(func(f *faulty, kind string) []byte { return f.old[kind] })},
		wrongAnswer{classObject, echo, true, echoed},
		wrongAnswer{classObject, "another object", true, from(func(f *faulty, kind string) []byte { return f.another[kind] })},
		wrongAnswer{classConnection, "truncated", true, truncated},
		wrongAnswer{classConnection, "cut", false, func(*faulty, http.ResponseWriter, string, *httptest.ResponseRecorder) bool {
			panic(http.ErrAbortHandler)
		}},
		wrongAnswer{classConnection, "stall", false, stalled},
	)
}

const errorPage = "<!DOCTYPE html><html><head><title>Gateway</title></head><body><h1>Something is wrong</h1></body></html>"

func fixed(status int, contentType, body string) func(*faulty, http.ResponseWriter, string, *httptest.ResponseRecorder) bool {
	return func(f *faulty, w http.ResponseWriter, _ string, _ *httptest.ResponseRecorder) bool {
		if status/100 == 3 && status != http.StatusNotModified {
			w.Header().Set("Location", "https://login.example.com/")
		}
		f.write(w, status, contentType, []byte(body))
		return true
	}
}

// from answers with a body that another request got, or would get.
func from(body func(f *faulty, kind string) []byte) func(*faulty, http.ResponseWriter, string, *httptest.ResponseRecorder) bool {
	return func(f *faulty, w http.ResponseWriter, kind string, done *httptest.ResponseRecorder) bool {
		wrong := body(f, kind)
		if wrong == nil || done != nil && bytes.Equal(wrong, done.Body.Bytes()) {
			return false
		}
		f.write(w, http.StatusOK, "application/json", wrong)
		return true
	}
}

// oldObject and echo answer a write with the object as it was, or as it would be. If the service hasn't processed it, it is swallowed.
const (
	oldObject = "the old object"
	echo      = "an echo"
)

// echoed is the object as a write would leave it that the service hasn't processed.
func echoed(f *faulty, w http.ResponseWriter, kind string, done *httptest.ResponseRecorder) bool {
	f.mu.Lock()
	sent, was := f.armed.body, f.old[kind]
	f.mu.Unlock()
	var object map[string]any
	if done != nil || json.Unmarshal(was, &object) != nil || json.Unmarshal(sent, &object) != nil {
		return false
	}
	f.write(w, http.StatusOK, "application/json", []byte(encoded(object)))
	return true
}

// halfOf is a complete answer with half of the JSON.
func halfOf(f *faulty, w http.ResponseWriter, kind string, done *httptest.ResponseRecorder) bool {
	body := f.plausible(kind, done)
	f.write(w, http.StatusOK, "application/json", body[:len(body)/2])
	return true
}

// truncated breaks off in the middle of the body.
func truncated(f *faulty, w http.ResponseWriter, kind string, done *httptest.ResponseRecorder) bool {
	body := f.plausible(kind, done)
	w.Header().Set("Content-Length", fmt.Sprint(len(body)))
	f.write(w, http.StatusOK, "application/json", body[:len(body)/2])
	panic(http.ErrAbortHandler)
}

// plausible is the right body, or one like it if the service hasn't processed the request.
func (f *faulty) plausible(kind string, done *httptest.ResponseRecorder) []byte {
	switch {
	case done != nil && done.Body.Len() > 0:
		return done.Body.Bytes()
	case f.old[kind] != nil:
		return f.old[kind]
	}
	return []byte(`{"id": "6ba7b810-9dad-41d1-80b4-00c04fd430c8", "name": "somebody-else"}`)
}

// requestTimeout is how long the provider waits for an answer by default.
const requestTimeout = time.Minute

// stalled answers nothing until the client has given up. Its time passes on the clock; the connection ends as it would then.
func stalled(f *faulty, _ http.ResponseWriter, _ string, _ *httptest.ResponseRecorder) bool {
	f.clock.Advance(requestTimeout)
	panic(http.ErrAbortHandler)
}

// write answers with the service's clock.
func (f *faulty) write(w http.ResponseWriter, status int, contentType string, body []byte) {
	w.Header().Set("Date", f.date())
	if contentType != "" {
		w.Header().Set("Content-Type", contentType)
	}
	w.WriteHeader(status)
	_, _ = w.Write(body) // The client may have disconnected.
}

// pass gives the service's own answer.
func pass(w http.ResponseWriter, done *httptest.ResponseRecorder) {
	maps.Copy(w.Header(), done.Header())
	w.WriteHeader(done.Code)
	_, _ = w.Write(done.Body.Bytes()) // The client may have disconnected.
}
