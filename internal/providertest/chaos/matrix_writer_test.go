package chaos

import (
	"cmp"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"time"
)

// Moments at which another user acts.
const (
	beforeRefresh = "before the refresh"
	beforeApply   = "between plan and apply"
	beforeProof   = "before the proof" // Right after the write was processed.
	midWait       = "in mid-wait"
	atEnd         = "at the end" // Before the last read of the object.
)

// Acts of another user besides changes.
const (
	actBack   = "rolls back"
	actDelete = "deletes"
	actPurge  = "purges" // Gone at once, while a deletion takes some time.
	actAgain  = "deletes and creates again"
)

// The dimensions of what happens besides a fault.
const (
	dimensionWriter = "second writer"
	dimensionClock  = "clock"
)

// foreign is a change that another user makes, of the argument that holds the field.
type foreign struct {
	argument string
	// method and path are those of the request; empty for a PATCH of the object.
	method string
	path   func(s subject, name string, is truth) string
	body   func(is truth) map[string]any
}

func (s subject) pathOf(name string, is truth) string { return s.listOf(name) + "/" + is.addressed }

// act is what another user does. change is nil unless it is a change.
type act struct {
	name   string
	change *foreign
}

// actsDuring are the acts that make a difference at a moment of an operation.
func (s subject) actsDuring(o operation, moment string, masked bool) []act {
	var all []act
	absent := o.verb == verbCreate && slices.Contains([]string{beforeRefresh, beforeApply}, moment) ||
		o.verb == verbDelete && slices.Contains([]string{beforeProof, midWait, atEnd}, moment)
	if s.record { // Nothing changes or deletes it.
		return nil
	}
	if !absent {
		for i, change := range s.theirs {
			if change.method == http.MethodPost && o.verb == verbReplace {
				continue // It would make an object beside the new one.
			}
			if masked && slices.Contains(s.variables, change.argument) {
				continue // Nobody can see it.
			}
			all = append(all, act{"changes " + change.argument, &s.theirs[i]})
		}
		if s.revisions {
			all = append(all, act{name: actBack}, act{name: actPurge})
		}
		all = append(all, act{name: actDelete})
	}
	if s.shared {
		return all
	}
	return append(all, act{name: actAgain})
}

// momentsDuring are the moments of an operation, each with what it waits for. sent are the reads that followed the write.
func (s subject) momentsDuring(o operation, ran ranCell) []event {
	var all []event
	if !o.fails { // Otherwise the failure might meet the revision of another user.
		all = append(all, event{moment: beforeRefresh})
	}
	reads := o.verb == verbRefresh || o.verb == verbImport
	if !reads && !o.fails {
		all = append(all, event{moment: beforeApply})
	}
	if !reads && ran.wrote != "" && len(ran.read) > 0 { // Otherwise the operation ends with the answer to the write.
		all = append(all, event{moment: beforeProof, written: true})
	}
	end := lastRead(ran.read)
	if mid := (end + 1) / 2; mid > 1 && mid < end && !reads {
		all = append(all, event{moment: midWait, read: mid})
	}
	if end > 1 {
		all = append(all, event{moment: atEnd, read: end})
	}
	return all
}

// lastRead is the number of the last read that shows the object itself.
func lastRead(kinds []string) int {
	for i, kind := range slices.Backward(kinds) {
		if !strings.Contains(kind, "/revisions") {
			return i + 1
		}
	}
	return 0
}

// event is when something happens besides the operation: right after its write was processed, or at a read after that, or when the cell
// comes to the moment.
type event struct {
	moment  string
	written bool
	read    int
	// after: once the service has processed that read, whose answer is thus older.
	after bool
}

// happening is an event with what happens.
type happening struct {
	event
	// dimension is "second writer" or "clock", and label describes it in the names of cells.
	dimension, label string
	act              act
	// skew is the difference between the Date of answers and the service's time, and stops is how long the provider's process is stopped,
	// waiting if between two polls.
	skew, stops time.Duration
	waiting     bool
	// fails: the operation ends with an error without this.
	fails bool
}

// intrusion is what another user has done.
type intrusion struct {
	happening
	// before is the object before it, and newest the newest revision that the provider knew of or has made.
	before truth
	// revision is the one that it has made; empty if none.
	revision string
	// set are the settings that it changed, with their new values.
	set settings
	// deleted is the ID of the object that it deleted, and created that of the object that it created.
	deleted, created string
	// wrote: after the provider's write.
	wrote bool
	// during: the act fell between the reads of a refresh or an import.
	during bool
}

// intrude lets another user act. Where the service refuses it, or where there is nothing to act on, the cell is void.
func (c *cell) intrude(h happening) {
	found := c.lookAgain(c.name)
	done := &intrusion{happening: h, wrote: c.proxy.hasWritten(), during: h.moment == atEnd && (c.operation.verb == verbRefresh || c.operation.verb == verbImport)}
	var is truth
	switch {
	case len(found) > 0:
		is = found[0]
	case h.act.name != actAgain:
		c.void = true
		return
	}
	done.before = is
	c.proxy.note("another user %s", h.act.name)
	switch {
	case h.act.change != nil:
		path := subject.pathOf
		if h.act.change.path != nil {
			path = h.act.change.path
		}
		c.theirs(cmp.Or(h.act.change.method, http.MethodPatch), path(c.subject, c.name, is), c.at.dialect.Body([]byte(encoded(h.act.change.body(is)))))
	case h.act.name == actBack:
		c.theirs(http.MethodPost, c.subject.pathOf(c.name, is)+"/revisions/"+c.previous(is)+"/redeploy", nil)
	case is.id != "":
		c.theirs(http.MethodDelete, c.deletion(is), nil)
		done.deleted = is.id
	}
	if h.act.name == actPurge || h.act.name == actAgain && is.id != "" {
		c.clock.Advance(labRollout)
	}
	if h.act.name == actAgain {
		c.theirs(http.MethodPost, c.subject.createAt(c.name), []byte(strings.ReplaceAll(string(c.template), c.bystander.name, c.name)))
	}
	if c.void {
		return
	}
	for _, now := range c.lookAgain(c.name) {
		if done.deleted != "" || is.id == "" {
			done.created = now.id
			continue
		}
		want := c.subject.wanted(c.config)
		had, has := c.subject.held(want, is.body), c.subject.held(want, now.body)
		done.set = settings{}
		for name := range differences(had, has) {
			done.set[name] = has[name]
		}
		if now.newest != is.newest {
			done.revision = now.newest
		}
	}
	c.intruded = done
}

// theirs sends a request of another user.
func (c *cell) theirs(method, path string, body []byte) {
	done := httptest.NewRecorder()
	if c.proxy.recording.ServeHTTP(done, c.request(method, path, body)); done.Code >= http.StatusMultipleChoices {
		c.void = true
		c.proxy.note("%s %s by another user: %d %s", method, path, done.Code, done.Body)
	}
}

// previous is the revision before the newest one; the newest one if it is the only one.
func (c *cell) previous(is truth) string {
	if c.before != nil && is.statuses[c.before.newest] != "" {
		return c.before.newest
	}
	return is.newest
}

// deletion is the path of a request that deletes an object, so that its name can be used again.
func (l *lab) deletion(is truth) string {
	path := l.subject.pathOf(text(is.body, l.subject.keyed), is)
	if l.at.dialect.ProjectsBlockNames && l.subject.revisions {
		path += "?delete_tracing_project=true"
	}
	return path
}

// skews are the differences between the Date that a front proxy sets and the time of the service.
var skews = map[string]time.Duration{"Date -1h": -time.Hour, "Date -8s": -8 * time.Second, "Date +8s": 8 * time.Second, "Date +1h": time.Hour}

// stopped is how long the provider's process is stopped: longer than any of its limits.
const stopped = 45 * time.Minute

// clocksDuring are the cells of an operation in which only time is odd.
func clocksDuring(o operation, ran ranCell) []happening {
	var all []happening
	for label, skew := range skews {
		all = append(all, happening{dimension: dimensionClock, label: label, skew: skew})
	}
	reads := max(1, (lastRead(ran.read)+1)/2)
	if ran.wrote != "" {
		all = append(all, happening{event: event{written: true}, dimension: dimensionClock, label: "stopped during the write", stops: stopped})
	}
	if len(ran.read) > 0 {
		all = append(all, happening{event: event{read: reads, after: true}, dimension: dimensionClock, label: "stopped during a read", stops: stopped})
	}
	if len(ran.read) > 1 && o.verb != verbRefresh && o.verb != verbImport {
		all = append(all, happening{event: event{read: reads, after: true}, dimension: dimensionClock, label: "stopped between two reads", stops: stopped, waiting: true})
	}
	slices.SortFunc(all, func(a, b happening) int { return strings.Compare(a.label, b.label) })
	return all
}

// writersDuring are the cells of an operation with a second writer.
func (s subject) writersDuring(o operation, ran ranCell, masked bool) []happening {
	var all []happening
	for _, at := range s.momentsDuring(o, ran) {
		for _, act := range s.actsDuring(o, at.moment, masked) {
			all = append(all, happening{event: at, dimension: dimensionWriter, label: at.moment + "/" + act.name, act: act})
		}
	}
	return all
}

// The changes of another user, by the arguments that have them.
var (
	theirImage = foreign{argument: "source_revision_config.image_uri", body: func(truth) map[string]any {
		return map[string]any{"source_revision_config": map[string]any{"image_uri": "registry.example.com/agents/chat:theirs"}}
	}}
	theirSecrets = foreign{argument: "secrets", body: func(is truth) map[string]any {
		all := []any{}
		list, _ := is.body["secrets"].([]any)
		for _, each := range list {
			secret, _ := each.(map[string]any)
			value := text(secret, "value")
			if text(secret, "name") == "TOKEN" {
				value = "their-token"
			}
			all = append(all, map[string]any{"name": text(secret, "name"), "value": value})
		}
		return map[string]any{"secrets": all}
	}}
	theirURL = foreign{argument: "source_config.custom_url", body: func(truth) map[string]any {
		return map[string]any{"source_config": map[string]any{"custom_url": "https://theirs.example.com"}}
	}}
	theirResources = foreign{argument: "source_config.resource_spec.cpu", body: func(is truth) map[string]any {
		spec, _ := member(is.body, "source_config.resource_spec").(map[string]any)
		spec = maps.Clone(spec)
		spec["cpu"] = 3
		return map[string]any{"source_config": map[string]any{"resource_spec": spec}}
	}}
	theirRef = foreign{argument: "source_revision_config.repo_ref", body: func(truth) map[string]any {
		return map[string]any{"source_revision_config": map[string]any{"repo_ref": "next"}}
	}}
	theirPushes = foreign{argument: "source_config.build_on_push", body: func(truth) map[string]any {
		return map[string]any{"source_config": map[string]any{"build_on_push": true}}
	}}
)

// priced is the body of a price with another cost.
func priced(is truth, cost string) map[string]any {
	body := map[string]any{}
	for name, value := range is.body {
		if !slices.Contains([]string{"id", "tenant_id", "created_at"}, name) {
			body[name] = value
		}
	}
	body[cost] = "0.009"
	return body
}

// changing is a PATCH of some members by another user.
func changing(argument string, body map[string]any) foreign {
	return foreign{argument: argument, body: func(truth) map[string]any { return body }}
}

// tokenOfAgent is a change that is also a creation.
func tokenOfAgent(argument string, body map[string]any) foreign {
	return foreign{
		argument: argument, method: http.MethodPost, path: func(s subject, name string, _ truth) string { return s.createAt(name) },
		body: func(truth) map[string]any { return body },
	}
}

// labelOfToken is a change of a token's metadata.
var labelOfToken = foreign{
	argument: "provider_account_label", path: func(_ subject, _ string, is truth) string { return "/v2/auth/tokens/" + is.id + "/metadata" },
	body: func(truth) map[string]any { return map[string]any{"provider_account_label": "theirs"} },
}

// recreated reports whether an object of this ID was created by another user.
func (i *intrusion) recreated(id string) bool { return i != nil && i.created == id }
