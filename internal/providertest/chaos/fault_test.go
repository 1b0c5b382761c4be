package chaos

import (
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"
)

// fault is a failure of one request.
type fault struct {
	// kind is its row in the table.
	kind string
	// work reports whether the service still processes the request.
	work bool
	// say answers in place of the service, which answered done if it did its work. Nil gives the service's own answer.
	say func(w http.ResponseWriter, r *http.Request, done *httptest.ResponseRecorder)
}

// hides reports whether the request was processed without the client being able to know.
func (f fault) hides() bool { return f.work && f.say != nil }

// faultKinds are the kinds of faults, each with its weight.
var faultKinds = []struct {
	weight int
	make   func(random *rand.Rand) fault
}{
	{120, func(*rand.Rand) fault { return fault{"dropped before the work", false, drop} }},
	{140, func(*rand.Rand) fault { return fault{"dropped after the work", true, drop} }},
	{280, func(random *rand.Rand) fault {
		return fault{"status 400-599 instead of the work", false, status(anyStatus(random), random.IntN(3))}
	}},
	{140, func(random *rand.Rand) fault {
		return fault{"status 5xx after the work", true, status(500+random.IntN(100), random.IntN(3))}
	}},
	{80, func(random *rand.Rand) fault {
		return fault{"429 or 503 with Retry-After", false, later([]int{429, 503}[random.IntN(2)], 1+random.IntN(30))}
	}},
	{60, func(random *rand.Rand) fault {
		return fault{"page instead of the work", false, status(pageStatus(random), asPage)}
	}},
	{50, func(random *rand.Rand) fault {
		return fault{"page after the work", true, status(pageStatus(random), asPage)}
	}},
	{70, func(random *rand.Rand) fault { return fault{"truncated", true, truncate(random.Float64())} }},
	{40, func(random *rand.Rand) fault {
		return fault{"deep JSON", random.IntN(2) == 0, whole(oddStatus(random), strings.Repeat("[", 100_000))}
	}},
	{2, func(random *rand.Rand) fault {
		return fault{"huge JSON", random.IntN(2) == 0, whole(oddStatus(random), `{"detail": "`+strings.Repeat("huge ", 2_000_000)+`"}`)}
	}},
	{30, func(*rand.Rand) fault { return fault{"delayed", true, nil} }},
	{3, func(random *rand.Rand) fault { return fault{"stalled", random.IntN(2) == 0, stall} }},
}

// decide chooses the fault of a request, if any. The same words give the same fault, so that a seed repeats a
// run although requests are concurrent.
func decide(rate float64, words ...any) (fault, bool) {
	hash := fnv.New64a()
	_, _ = fmt.Fprintln(hash, words...) // A hash never fails.
	random := rand.New(rand.NewPCG(hash.Sum64(), 0xC4A05))
	if random.Float64() >= rate {
		return fault{}, false
	}
	total := 0
	for _, k := range faultKinds {
		total += k.weight
	}
	at := random.IntN(total)
	for _, k := range faultKinds {
		if at -= k.weight; at < 0 {
			return k.make(random), true
		}
	}
	panic("weights don't add up")
}

// anyStatus is a status from 400 to 599: half of the time a common one.
func anyStatus(random *rand.Rand) int {
	if random.IntN(2) == 0 {
		return 400 + random.IntN(200)
	}
	usual := []int{400, 401, 403, 404, 408, 409, 422, 500, 502, 503, 504, 524}
	return usual[random.IntN(len(usual))]
}

// Bodies of status.
const (
	asProblem = iota
	asNothing
	asPage
)

const errorPage = "<!DOCTYPE html><html><head><title>Gateway</title></head><body><h1>Something is wrong</h1></body></html>"

func status(code, body int) func(http.ResponseWriter, *http.Request, *httptest.ResponseRecorder) {
	switch body {
	case asPage:
		return whole(code, errorPage)
	case asNothing:
		return whole(code, "")
	}
	return whole(code, fmt.Sprintf(`{"detail": "chaos says %d"}`, code))
}

// pageStatus is a status that doesn't show whether the request was processed.
func pageStatus(random *rand.Rand) int { return []int{200, 200, 500, 502, 504}[random.IntN(5)] }

func oddStatus(random *rand.Rand) int { return []int{200, 201, 500, 502}[random.IntN(4)] }

// whole is an answer of its own.
func whole(code int, body string) func(http.ResponseWriter, *http.Request, *httptest.ResponseRecorder) {
	return func(w http.ResponseWriter, _ *http.Request, _ *httptest.ResponseRecorder) {
		w.Header().Set("Content-Type", "application/json")
		if strings.HasPrefix(body, "<") {
			w.Header().Set("Content-Type", "text/html")
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body) // The client may have disconnected.
	}
}

func later(code, seconds int) func(http.ResponseWriter, *http.Request, *httptest.ResponseRecorder) {
	say := status(code, asProblem)
	return func(w http.ResponseWriter, r *http.Request, done *httptest.ResponseRecorder) {
		w.Header().Set("Retry-After", fmt.Sprint(seconds))
		say(w, r, done)
	}
}

func drop(http.ResponseWriter, *http.Request, *httptest.ResponseRecorder) {
	panic(http.ErrAbortHandler)
}

// truncate cuts off the service's response. One without a body is dropped.
func truncate(part float64) func(http.ResponseWriter, *http.Request, *httptest.ResponseRecorder) {
	return func(w http.ResponseWriter, _ *http.Request, done *httptest.ResponseRecorder) {
		if done.Body.Len() > 0 {
			maps.Copy(w.Header(), done.Header())
			w.Header().Set("Content-Length", fmt.Sprint(done.Body.Len()))
			w.WriteHeader(done.Code)
			_, _ = w.Write(done.Body.Bytes()[:int(part*float64(done.Body.Len()))]) // It is truncated anyway.
		}
		panic(http.ErrAbortHandler)
	}
}

// stall keeps the client waiting until it gives up.
func stall(_ http.ResponseWriter, r *http.Request, _ *httptest.ResponseRecorder) {
	late := time.NewTimer(time.Minute)
	defer late.Stop()
	select {
	case <-r.Context().Done():
	case <-late.C:
	}
	panic(http.ErrAbortHandler)
}
