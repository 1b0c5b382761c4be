package chaos

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"time"
)

// spot is where a fault is: at the nth request of a kind, before or after the service has processed it, once or for some
// time. A kind is a method and a path.
type spot struct {
	kind    string
	nth     int
	after   bool
	lasting time.Duration
}

func (s spot) request() string { return fmt.Sprintf("%s#%d", s.kind, s.nth) }

// faulty is the proxy of the matrix. Its faults are chosen, not random.
type faulty struct {
	clock     *labClock
	inner     *proxy // Processes requests and hides the values of secrets.
	recording *recording

	mu    sync.Mutex
	armed *armed
	// phase is what the provider is doing. sent are the kinds of its requests, in order.
	phase string
	sent  []string
	// writes are the requests of the phase that changed something, as far as the service is concerned.
	writes []string
	// old and another are bodies as they were before the operation, and those of another object, by the kind of the request.
	old, another map[string][]byte
	log          []string
}

// armed is a fault that waits for its request.
type armed struct {
	spot
	wrongAnswer
	seen int
	// until is when a lasting fault ends; zero before its first request.
	until time.Time
	hits  int
	// void means that there was no wrong answer for the request.
	void bool
	// answered reports whether the last request of the kind got the right answer.
	answered bool
	// phase is that of the first hit.
	phase string
}

// maxRequests is far above what any operation needs.
const maxRequests = 4000

func (f *faulty) reset() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.armed, f.sent, f.writes, f.log, f.phase = nil, nil, nil, nil, ""
}

func (f *faulty) arm(a *armed) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.armed = a
}

func (f *faulty) begin(phase string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.phase, f.writes = phase, nil
	f.log = append(f.log, "-- "+phase)
}

// processed are the changes in this phase.
func (f *faulty) processed() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.writes
}

// keysOfCells are the names of the matrix's objects; some paths contain them.
var keysOfCells = regexp.MustCompile(`\bm-\d{5}\b`)

func patternOf(path string) string {
	return keysOfCells.ReplaceAllString(ids.ReplaceAllString(path, "*"), "*")
}

// kindOf is a request's method and path without IDs, and whether it searches by name.
func kindOf(r *http.Request) string {
	kind := r.Method + " " + patternOf(r.URL.Path)
	if r.URL.Query().Has("name") {
		kind += "?name"
	}
	return kind
}

// ServeHTTP implements http.Handler.
func (f *faulty) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	kind := kindOf(r)
	hit := f.next(kind)
	if hit == nil {
		done := f.work(kind, r)
		f.note("%s: %d", kind, done.Code)
		pass(w, done)
		return
	}
	var done *httptest.ResponseRecorder
	if hit.after || r.Method == http.MethodGet && hit.needsBody {
		done = f.work(kind, r)
	}
	f.note("%s: %s, processed %t", kind, hit.name, done != nil)
	if !hit.say(f, w, kind, done) {
		f.mu.Lock()
		hit.void = true
		f.mu.Unlock()
		if done == nil {
			done = f.work(kind, r)
		}
		pass(w, done)
	}
}

// next counts a request, and returns the fault that it meets.
func (f *faulty) next(kind string) *armed {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.sent = append(f.sent, kind); len(f.sent) > maxRequests {
		f.log = append(f.log, "too many requests")
		panic(http.ErrAbortHandler)
	}
	a := f.armed
	if a == nil || a.kind != kind {
		return nil
	}
	a.seen++
	now := f.clock.Now()
	switch {
	case a.seen < a.nth:
		return nil
	case a.hits == 0:
		a.until, a.phase = now.Add(a.lasting), f.phase
	case !now.Before(a.until):
		a.answered = true
		return nil
	}
	a.hits++
	return a
}

func (f *faulty) note(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log = append(f.log, f.clock.Now().Format("15:04:05.0 ")+fmt.Sprintf(format, args...))
}

// work lets the service process a request, and counts it if it changes something.
func (f *faulty) work(kind string, r *http.Request) *httptest.ResponseRecorder {
	done := f.inner.work(r)
	if r.Method != http.MethodGet && done.Code < http.StatusMultipleChoices {
		f.mu.Lock()
		f.writes = append(f.writes, kind)
		f.mu.Unlock()
	}
	return done
}

func (f *faulty) story() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.log, "\n")
}
