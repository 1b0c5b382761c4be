package chaos

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// The rules of the matrix: what the service has, what the state says and what the diagnostics claim agree.
const (
	ruleTaint    = "a healthy object is tainted"
	ruleOrphan   = "an object is left that no error names"
	ruleLoss     = "an existing object leaves the state, or one leaves without a warning"
	ruleClaim    = "success is claimed, but the service has something else"
	ruleStatus   = "the state has a revision or status that the service doesn't have"
	ruleStored   = "after an error, the state has what the service doesn't have"
	ruleTwice    = "a write is processed twice, or a plan writes"
	ruleText     = "a text claims what isn't so"
	ruleForm     = "a text is longer than a paragraph, or names nothing"
	ruleSilent   = "a change of another user is undone without a word"
	ruleNamed    = "a revision of another user takes the place of ours, and the text doesn't name both"
	ruleGone     = "what is gone is stored, tainted, or not said"
	ruleForeign  = "an object of another user is adopted, changed or deleted"
	ruleClock    = "a clock makes an operation fail"
	ruleBlind    = "destroyed although a look-up of the plan failed"
	ruleNext     = "after a success, the next plan is not empty"
	ruleConverge = "the next apply without faults doesn't converge"
	ruleCore     = "a rule of Terraform core is broken"
)

// finding is a broken rule.
type finding struct{ rule, what string }

func (c *cell) offend(rule, format string, args ...any) {
	what := strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " ")
	c.found = append(c.found, finding{rule, what[:min(len(what), 400)]})
}

// dropped checks the refresh that removed an object from the state.
func (c *cell) dropped(id string, diags []*tfprotov6.Diagnostic) {
	for _, each := range c.look(c.name) {
		if each.id == id {
			c.offend(ruleLoss, "%s exists", id)
			return
		}
	}
	if toldAs(diags, tfprotov6.DiagnosticSeverityWarning) == "" {
		c.offend(ruleLoss, "no warning says that %s is gone", id)
	}
}

// wroteNothing checks that a plan hasn't changed anything.
func (c *cell) wroteNothing() {
	if wrote := c.proxy.processed(); len(wrote) > 0 {
		c.offend(ruleTwice, "a plan has sent %v", wrote)
	}
}

var (
	saysDeleted  = regexp.MustCompile(`(?i)was deleted by|no longer exists|has been deleted|was deleted after`)
	saysAccepted = regexp.MustCompile(`(?i)\b(was accepted|accepted the (change|deletion|creation))`)
	saysForeign  = regexp.MustCompile(`(?i)another user or process (made|changed)`)
	saysOngoing  = regexp.MustCompile(`(?i)still in progress|is still (being|[A-Z_]+ING\b|QUEUED)`)
	saysUnread   = regexp.MustCompile(`not read back|isn't shown by the service|can't be read`)
	saysPending  = regexp.MustCompile(`(?i)may (still )?(appear|exist|have)|import`)
)

// longest is how many characters the detail of a diagnostic may have, and vague matches one that names nothing, or a type of Go.
const longest = 600

var vague = regexp.MustCompile(`""|<nil>|api\.[A-Z]|json:`)

// check checks what the operation has left, before anything else happens.
func (c *cell) check(a *armed) {
	found, failed := c.look(c.name), c.errorsIn() != ""
	c.blind = a != nil && (a.lasting > once && a.when() == "read" || a.class == classDetail && a.after)
	var is *truth // What the state says to have.
	for i := range found {
		if c.state.Exists() && (found[i].id == c.state.text("id") || c.intruded != nil && c.subject.byName()) {
			is = &found[i]
		}
	}
	if own := c.withoutRecreated(found); len(own) > 1 {
		c.offend(ruleTwice, "%d objects have the name", len(own))
	}
	c.checkWrites()
	c.checkTexts(a, found)
	for _, d := range c.diags {
		if told := d.Summary + ": " + d.Detail; vague.MatchString(told) || utf8.RuneCountInString(d.Detail) > longest {
			c.offend(ruleForm, "%d characters: %s", utf8.RuneCountInString(d.Detail), told)
		}
	}
	c.checkForeign(found)
	for _, each := range found {
		if is == nil && c.operation.verb != verbImport && failed && !c.names(each) && !c.intruded.recreated(each.id) {
			c.offend(ruleOrphan, "%s: %s", each.id, c.errorsIn())
		}
	}
	inTime := !c.late || is != nil && final(is.status) // A rollout that is in progress after the limit may taint.
	status := ""
	if is != nil {
		status = is.status
		if own := is.statuses[c.state.text("latest_revision_id")]; c.blind && own != "" { // The end of its own rollout is all that it has seen.
			status = own
		}
	}
	if c.state.Tainted() && is != nil && inTime && !strings.Contains(status, "FAILED") {
		c.offend(ruleTaint, "%s is %s: %s", is.id, is.status, c.errorsIn())
	}
	if c.state.Exists() && is != nil {
		c.checkStatus(*is)
	}
	switch {
	case failed && c.operation.verb == verbUpdate && c.state.Exists() && is != nil:
		c.checkStored(*is)
	case failed:
	case c.operation.verb == verbDelete:
		found = slices.DeleteFunc(slices.Clone(found), func(t truth) bool { return c.intruded.recreated(t.id) })
		if len(found) > 0 || c.state.Exists() {
			c.offend(ruleClaim, "%d are left, in state: %t", len(found), c.state.Exists())
		}
	case is == nil && c.goneIsKnown():
	case is == nil && c.subject.record && c.warningsIn() != "" && c.state.text("status") == "": // The next apply sends it again.
	case is == nil:
		c.offend(ruleClaim, "%q is in the state, and the service has %d of the name", c.state.text("id"), len(found))
	default:
		c.checkClaim(*is)
	}
	if c.operation.verb == verbReplace && a != nil && a.phase == "plan" && !a.answered && a.class != classBody && a.class != classObject &&
		strings.HasPrefix(a.kind, "GET ") && !strings.HasSuffix(a.kind, "*") && slices.ContainsFunc(c.proxy.processed(), func(w string) bool { return strings.HasPrefix(w, "DELETE ") }) {
		c.offend(ruleBlind, "%s was never answered", a.kind)
	}
}

// saysUnread reports whether the operation warns that reads failed to its end, as they did: it can't know what another user did then.
func (c *cell) saysUnread() bool { return c.blind && saysUnread.MatchString(c.warningsIn()) }

// names reports whether an error tells of an object outside the state.
func (c *cell) names(t truth) bool {
	text := c.errorsIn()
	return strings.Contains(text, t.id) || strings.Contains(text, c.name) && saysPending.MatchString(text)
}

// checkWrites checks that nothing was made more often than it had to be. What makes nothing may be sent again.
func (c *cell) checkWrites() {
	count := map[string]int{}
	for _, kind := range c.proxy.processed() {
		count[kind]++
	}
	for kind, n := range count {
		makes := strings.HasPrefix(kind, "POST ") && (c.subject.creation == "" || c.operation.verb != verbUpdate) || !strings.HasPrefix(kind, "DELETE ") && c.operation.edit.revision
		again := c.intruded != nil && c.intruded.deleted != "" // What has gone is made again.
		if makes && n > 1 && !again && !c.subject.record {     // A record has an ID of the provider's choice.
			c.offend(ruleTwice, "%s was processed %d times", kind, n)
		}
	}
	if slices.Contains([]string{verbRefresh, verbImport}, c.operation.verb) {
		c.wroteNothing()
	}
}

// checkStatus checks what the state says of revisions. A status from before the end of a rollout is right: the next plan waits.
func (c *cell) checkStatus(is truth) {
	if !c.subject.revisions {
		return
	}
	id, status := c.state.text("latest_revision_id"), c.state.text("latest_revision_status")
	own, known := is.statuses[id]
	switch {
	case id != "" && !known:
		c.offend(ruleStatus, "there is no revision %s", id)
	case status == "" || status == own || !final(status):
	default:
		c.offend(ruleStatus, "revision %s is %s, not %s", id, own, status)
	}
}

func final(status string) bool {
	return status == "DEPLOYED" || strings.Contains(status, "FAILED") || status == "SKIPPED"
}

// checkStored checks that a failed update hasn't stored what the service doesn't have: the next plan would not show it.
func (c *cell) checkStored(is truth) {
	state := c.subject.wanted(c.state.Attributes())
	for path := range c.operation.edit.set {
		want := c.subject.wanted(c.config)
		has := c.subject.held(want, is.body)
		for name := range changedSettings(want, c.subject.held(want, c.before.body)) {
			unseen := c.saysUnread() && c.intruded != nil && c.intruded.set[name] == has[name]
			if state[name] == want[name] && has[name] != want[name] && !unseen {
				c.offend(ruleStored, "%s is %q in the state and %q in the service", name, state[name], has[name])
			}
		}
		if c.operation.edit.revision && is.newest == c.before.newest &&
			fmt.Sprint(member(c.state.Attributes(), path)) == fmt.Sprint(member(c.config, path)) && !slices.Contains(writeOnly, strings.Split(path, ".")[0]) {
			c.offend(ruleStored, "%s is stored, and the service has no new revision", path)
		}
	}
}

// mayBeOlder reports whether the state may have a revision that is no longer the newest: a plan has known it, and core allows no other.
func (c *cell) mayBeOlder() bool {
	return c.intruded != nil && c.intruded.revision != "" && c.intruded.moment != beforeRefresh
}

// writeOnly are arguments that no state has.
var writeOnly = []string{"secrets_wo"}

func changedSettings(want, had settings) map[string]string {
	all := differences(want, had)
	maps.DeleteFunc(all, func(name, _ string) bool { _, is := want[name]; return !is })
	return all
}

// checkClaim checks an operation that claims success.
func (c *cell) checkClaim(is truth) {
	reads := c.operation.verb == verbRefresh || c.operation.verb == verbImport
	switch i := c.intruded; {
	case i != nil && i.during: // What was read before is as true as what is read after.
		return
	case i != nil && reads: // The state has what the service has, whatever is configured.
	case i != nil && i.moment != beforeRefresh && (i.deleted == "" || i.recreated(is.id)),
		i != nil && i.moment == beforeRefresh && c.operation.verb == verbUpdate && !c.updates(is):
		c.checkOverwritten(is)
	default:
		c.checkHas(ruleClaim, is)
	}
	if id := c.state.text("latest_revision_id"); c.subject.revisions && id != is.newest && !c.mayBeOlder() {
		c.offend(ruleStatus, "the state has revision %q, but the newest is %q", id, is.newest)
	}
	if c.subject.revisions && is.status != "DEPLOYED" && !c.followsOther(is) && (c.intruded == nil && c.warningsIn() == "" || c.intruded != nil && !reads && c.unusual() == "") {
		c.offend(ruleClaim, "the newest revision is %s, without a warning", is.status)
	}
	if reads {
		state, has := c.subject.wanted(c.state.Attributes()), c.subject.held(c.subject.wanted(c.config), is.body)
		for name := range has {
			imported := c.operation.verb == verbImport && (state[name] == "" || state[name] == "null")
			if !strings.HasPrefix(name, variable) && !slices.Contains(c.subject.unseen, c.subject.field(name)) && !imported && state[name] != has[name] {
				c.offend(ruleClaim, "%s is %q in the state and %q in the service", name, state[name], has[name])
			}
		}
		return
	}
	if c.before == nil || c.operation.verb != verbUpdate || is.id != c.before.id {
		return
	}
	made, repairs := is.revisions-c.before.revisions, false
	if i := c.intruded; i != nil && i.revision != "" {
		made--
		repairs = i.moment == beforeRefresh // The plan shows the change, and undoes it.
	}
	switch {
	case c.operation.edit.revision && made == 0:
		c.offend(ruleClaim, "there is no new revision")
	case made > 1, !c.operation.edit.revision && made > 0 && !repairs:
		c.offend(ruleTwice, "there are %d new revisions", made)
	}
}

// checkHas checks that the service has what is configured.
func (c *cell) checkHas(rule string, is truth) {
	want := c.subject.wanted(c.config)
	for _, difference := range differences(want, c.subject.held(want, is.body)) {
		c.offend(rule, "%s", difference)
	}
	for _, path := range c.operation.edit.gone {
		if c.intruded.recreated(is.id) {
			break // What isn't configured is left to the other user.
		}
		value := encoded(member(is.body, c.subject.field(path)))
		if empty := []string{"null", "[]", "{}"}; !slices.Contains(empty, value) && c.operation.verb == verbUpdate {
			c.offend(rule, "%s is still %s", path, value)
		}
	}
}

// converge applies without faults, imports what an error has named, and expects what is configured and then an empty plan.
func (c *cell) converge() {
	succeeded, warned := c.errorsIn() == "", c.warningsIn() != ""
	c.proxy.arm(nil)
	c.diags = nil
	c.afterwards()
	if c.operation.verb == verbDelete {
		left := func() bool {
			return slices.ContainsFunc(c.look(c.name), func(t truth) bool { return !c.intruded.recreated(t.id) })
		}
		if !c.apply(nil) || left() {
			c.offend(ruleConverge, "it isn't destroyed: %s", c.errorsIn())
		}
		return
	}
	if c.operation.verb == verbImport && !c.state.Exists() && len(c.look(c.name)) > 0 && !c.importAs(c.look(c.name)[0].idFor(c.subject)) {
		c.offend(ruleConverge, "it can't be imported: %s", c.errorsIn())
		return
	}
	if succeeded {
		empty, ok, what := c.emptyPlan(c.config)
		switch {
		case !ok && c.isTaken():
		case !ok:
			c.offend(ruleConverge, "%s: %s", what, c.errorsIn())
			return
		case empty:
			c.converged()
			return
		case !warned && c.operation.verb != verbImport && len(c.found) == 0 && (c.intruded == nil || c.operation.verb != verbRefresh) && !c.waits:
			c.offend(ruleNext, "%s", what)
		}
	}
	c.diags = nil
	if !c.state.Exists() && !c.importLeft() {
		return
	}
	before := 0
	for _, each := range c.look(c.name) {
		before = each.revisions
	}
	tainted := c.state.Tainted()
	applied := c.apply(c.config)
	if !applied && c.operation.fails { // It has waited for the failing rollout, and the next one repairs it.
		c.diags, before = nil, before+1
		applied = c.apply(c.config)
	}
	if !applied && c.isTaken() {
		if c.diags = nil; !c.importLeft() {
			return
		}
		applied = c.apply(c.config)
	}
	if !applied && c.subject.renewed != nil && strings.Contains(c.errorsIn(), "tokens_wo_version") {
		c.diags, c.config = nil, changed(c.config, *c.subject.renewed, c.at)
		applied = c.apply(c.config)
	}
	if !applied {
		c.offend(ruleConverge, "the apply fails: %s", c.errorsIn())
		return
	}
	for _, each := range c.look(c.name) {
		if made := each.revisions - before; made > 1 && !tainted {
			c.offend(ruleTwice, "the next apply makes %d revisions", made)
		}
	}
	empty, _, what := c.emptyPlan(c.config)
	if !empty {
		c.offend(ruleConverge, "the plan after the next apply: %s", what+c.errorsIn())
	}
	c.converged()
}

// importLeft imports an object of the name that isn't in the state, as an error has told the user to.
func (c *cell) importLeft() bool {
	if left := c.look(c.name); len(left) > 0 && !c.importAs(left[0].idFor(c.subject)) {
		c.offend(ruleConverge, "it can't be imported: %s", c.errorsIn())
		return false
	}
	return true
}

// withoutRecreated leaves out what another user has created if the state's object exists, too: then the service accepts both, because the
// name is only a part of the key.
func (c *cell) withoutRecreated(found []truth) []truth {
	if !slices.ContainsFunc(found, func(t truth) bool { return t.id == c.state.text("id") }) {
		return found
	}
	return slices.DeleteFunc(slices.Clone(found), func(t truth) bool { return t.id != c.state.text("id") && c.intruded.recreated(t.id) })
}

// converged expects exactly one object, in the state, with what is configured.
func (c *cell) converged() {
	found := c.withoutRecreated(c.look(c.name))
	if len(found) != 1 || found[0].id != c.state.text("id") {
		c.offend(ruleConverge, "%d have the name, and %q is in the state", len(found), c.state.text("id"))
		return
	}
	c.checkHas(ruleConverge, found[0])
	c.checkStatus(found[0])
	if c.subject.revisions && found[0].status != "DEPLOYED" {
		c.offend(ruleConverge, "the newest revision is %s, and the plan is empty", found[0].status)
	}
	if c.before != nil && c.operation.verb == verbUpdate && c.operation.edit.revision && found[0].newest == c.before.newest {
		c.offend(ruleConverge, "there is no new revision, and the plan is empty")
	}
}
