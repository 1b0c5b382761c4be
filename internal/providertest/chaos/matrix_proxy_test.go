package chaos

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"time"
)

// hiding is how a service treats the values of secrets in its responses.
type hiding int

const (
	showsValues hiding = iota
	masksValues
	omitsSecrets
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
	hides     hiding
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

	// makes reports whether a request is the operation's own change. wrote is the kind of the first one that was processed, and read are the
	// kinds of the reads after it; of all reads if the operation changes nothing.
	makes func(kind string) bool
	wrote string
	read  []string
	// skew is the difference between the Date of answers and the service's time.
	skew time.Duration
	// failing is the operation during which random requests fail, rate of them; empty for none. count counts them by their kinds, and seed
	// chooses the faults. lost: the reply to a write was among these.
	failing string
	lost    bool
	rate    float64
	count   map[string]int
	seed    string
	tally   *chaosTally
	// next happening, and what to do then. It happens once.
	event  *event
	happen func()
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
	// body is that of the last request that met the fault.
	body []byte
	// phase is that of the first hit.
	phase string
}

// maxRequests is far above what any operation needs.
const maxRequests = 4000

func (f *faulty) reset() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.armed, f.sent, f.writes, f.log, f.phase = nil, nil, nil, nil, ""
	f.makes, f.wrote, f.read, f.skew, f.event, f.happen = nil, "", nil, 0, nil, nil
}

// await lets something happen at an event.
func (f *faulty) await(e event, happen func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.event, f.happen = &e, happen
}

// reads counts a read after the operation's own change, and reports whether it is one that something happens at.
func (f *faulty) reads(kind string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !strings.HasPrefix(kind, "GET ") || f.makes != nil && f.wrote == "" {
		return false
	}
	f.read = append(f.read, kind)
	return f.event != nil && f.event.read == len(f.read)
}

// occur lets happen what was waited for.
func (f *faulty) occur() {
	f.mu.Lock()
	happen := f.happen
	f.event, f.happen = nil, nil
	f.mu.Unlock()
	happen()
}

func (f *faulty) hasWritten() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.wrote != ""
}

// isAfter reports whether the event comes after the service has processed a request.
func (f *faulty) isAfter() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.event != nil && f.event.after
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

var ids = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

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
	meets := f.reads(kind)
	if meets && (hit != nil || !f.isAfter()) { // A wrong answer is neither older nor newer.
		f.occur()
	}
	if hit == nil {
		done := f.work(kind, r)
		f.note("%s: %d", kind, done.Code)
		if meets && f.isAfter() {
			f.occur()
		}
		f.pass(w, done)
		return
	}
	f.mu.Lock()
	hit.body = body
	f.mu.Unlock()
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
		f.pass(w, done)
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
	if f.failing != "" {
		return f.random(kind)
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

// pass gives the service's own answer, with the Date of whatever is in front of it.
func (f *faulty) pass(w http.ResponseWriter, done *httptest.ResponseRecorder) {
	if f.skew != 0 {
		done.Header().Set("Date", f.date())
	}
	pass(w, done)
}

func (f *faulty) date() string { return f.clock.Now().Add(f.skew).Format(http.TimeFormat) }

func (f *faulty) note(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log = append(f.log, f.clock.Now().Format("15:04:05.0 ")+fmt.Sprintf(format, args...))
}

// work lets the service process a request, and counts it if it changes something.
func (f *faulty) work(kind string, r *http.Request) *httptest.ResponseRecorder {
	done := f.process(r)
	if r.Method != http.MethodGet && done.Code < http.StatusMultipleChoices {
		f.mu.Lock()
		f.writes = append(f.writes, kind)
		own := f.makes != nil && f.wrote == "" && f.makes(kind)
		if own {
			f.wrote = kind
		}
		due := own && f.event != nil && f.event.written
		f.mu.Unlock()
		if due {
			f.occur()
		}
	}
	return done
}

func (f *faulty) story() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.log, "\n")
}

// process lets the service process a request, and hides the values of secrets in its answer.
func (f *faulty) process(r *http.Request) *httptest.ResponseRecorder {
	done := httptest.NewRecorder()
	f.recording.ServeHTTP(done, r)
	var answer any
	if f.hides == showsValues || !strings.HasPrefix(r.URL.Path, "/v2/deployments") || strings.Contains(r.URL.Path, "/revisions") ||
		json.Unmarshal(done.Body.Bytes(), &answer) != nil {
		return done
	}
	hideValues(answer, f.hides)
	done.Body.Reset()
	if err := json.NewEncoder(done.Body).Encode(answer); err != nil {
		panic(err) // It was JSON.
	}
	return done
}

// hideValues hides the values of secrets in an object, or in each of a list.
func hideValues(answer any, how hiding) {
	switch answer := answer.(type) {
	case []any:
		for _, each := range answer {
			hideValues(each, how)
		}
	case map[string]any:
		hideValues(answer["resources"], how)
		secrets, ok := answer["secrets"].([]any)
		if ok && how == omitsSecrets {
			answer["secrets"] = []any{}
			return
		}
		for _, each := range secrets {
			if secret, ok := each.(map[string]any); ok {
				secret["value"] = "********"
			}
		}
	}
}
