package chaos

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
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
	tells hiding = iota
	masks
	omits
)

// proxy stands between the provider and the service.
type proxy struct {
	service http.Handler
	seed    string
	hiding  hiding
	tally   *tally
	// meanwhile lets another user change the object with that key. It is called for some changes that are lost in transit.
	meanwhile func(name string)

	mu   sync.Mutex
	rate float64
	// phase is what Terraform is doing. Requests are counted in it, by their kind and by the object that they are about.
	phase string
	count map[string]int
	// names are the keys of objects, by their ids.
	names map[string]string
	// hidden counts the changes in this phase that were made but not reported, by name of the deployment.
	hidden map[string]int
	log    []string
}

func newProxy(service http.Handler, seed string, hides hiding, t *tally) *proxy {
	return &proxy{service: service, seed: seed, hiding: hides, tally: t, names: map[string]string{}}
}

// begin begins a phase.
func (p *proxy) begin(phase string, rate float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.phase, p.rate, p.count, p.hidden = phase, rate, map[string]int{}, map[string]int{}
	p.log = append(p.log, "-- "+phase)
}

// untold is how many changes of a deployment were made but not reported in this phase.
func (p *proxy) untold(name string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.hidden[name]
}

// story lists the most recent events.
func (p *proxy) story(lines int) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.log[max(0, len(p.log)-lines):], "\n")
}

var ids = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // The client has disconnected.
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	kind := r.Method + " " + ids.ReplaceAllString(r.URL.Path, "*")
	name := p.subject(r, body)
	made, wrong := p.next(kind, name)
	if !wrong {
		made = fault{work: true}
	}
	var done *httptest.ResponseRecorder
	outcome := "not done"
	if made.work {
		done = p.work(r)
		outcome = fmt.Sprint(done.Code)
	}
	if (r.Method == http.MethodPatch || r.Method == http.MethodPut) && made.kind == "dropped before the work" {
		p.meanwhile(name)
	}
	if made.kind == "delayed" {
		time.Sleep(2 * time.Millisecond)
	}
	p.note(fmt.Sprintf("%s %s: %s %s", kind, name, outcome, made.kind), made, r.Method, name)
	if made.say != nil {
		made.say(w, r, done)
		return
	}
	maps.Copy(w.Header(), done.Header())
	w.WriteHeader(done.Code)
	_, _ = w.Write(done.Body.Bytes()) // The client may have disconnected.
}

// keys are the members of bodies that identify an object; the first one present counts.
var keys = []string{"provider_id", "compute_id", "name"}

// subject is the key of the object that a request is about.
func (p *proxy) subject(r *http.Request, body []byte) string {
	var sent map[string]any
	if r.Method == http.MethodPost && json.Unmarshal(body, &sent) == nil {
		return keyOf(sent)
	}
	if providerID, is := strings.CutPrefix(r.URL.Path, oauthProviders.collection+"/"); is {
		return providerID
	}
	if name := r.URL.Query().Get("name"); name != "" {
		return name
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.names[ids.FindString(r.URL.Path)]
}

func keyOf(body map[string]any) string {
	for _, name := range keys {
		if key := text(body, name); key != "" {
			return key
		}
	}
	return ""
}

func (p *proxy) next(kind, name string) (fault, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := kind + " " + name
	p.count[key]++
	return decide(p.rate, p.seed, p.phase, key, p.count[key])
}

func (p *proxy) note(line string, made fault, method, name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.log = append(p.log, line)
	if made.hides() && method != http.MethodGet {
		p.hidden[name]++
	}
	p.tally.request(made.kind)
}

// work lets the service process the request, and hides the values of secrets in the response.
func (p *proxy) work(r *http.Request) *httptest.ResponseRecorder {
	done := httptest.NewRecorder()
	p.service.ServeHTTP(done, r)
	var answer any
	if strings.Contains(r.URL.Path, "/revisions") || json.Unmarshal(done.Body.Bytes(), &answer) != nil {
		return done
	}
	objects, _ := answer.([]any)
	if one, ok := answer.(map[string]any); ok {
		if objects, ok = one["resources"].([]any); !ok {
			objects = []any{one}
		}
	}
	for _, each := range objects {
		if body, ok := each.(map[string]any); ok {
			p.seen(body)
		}
	}
	if p.hiding == tells || !strings.HasPrefix(r.URL.Path, "/v2/deployments") {
		return done
	}
	done.Body.Reset()
	if err := json.NewEncoder(done.Body).Encode(answer); err != nil {
		panic(err)
	}
	return done
}

// seen learns the key of an object, and hides its secrets.
func (p *proxy) seen(body map[string]any) {
	if id, key := text(body, "id"), keyOf(body); id != "" && key != "" {
		p.mu.Lock()
		p.names[id] = key
		p.mu.Unlock()
	}
	secrets, ok := body["secrets"].([]any)
	switch {
	case !ok, p.hiding == tells:
	case p.hiding == omits:
		body["secrets"] = []any{}
	default:
		for _, each := range secrets {
			if secret, ok := each.(map[string]any); ok {
				secret["value"] = "********"
			}
		}
	}
}

// say records an event other than a request.
func (p *proxy) say(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.log = append(p.log, line)
}
