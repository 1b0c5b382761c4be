package chaos

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// checkTexts compares what diagnostics claim with what happened.
func (c *cell) checkTexts(a *armed, found []truth) {
	told := c.errorsIn() + c.warningsIn()
	deleted := c.intruded != nil && c.intruded.deleted != ""
	for _, each := range found {
		if saysDeleted.MatchString(told) && !deleted {
			c.offend(ruleText, "%s exists: %s", each.id, told)
		}
		// What can no longer be read may have ended since.
		if c.subject.revisions && (a == nil || a.lasting == once) && saysOngoing.MatchString(told) && final(each.status) {
			c.offend(ruleText, "the newest revision is %s: %s", each.status, told)
		}
	}
	if other := saysForeign.FindString(told); other != "" && c.intruded == nil && (a == nil || a.class != classObject) {
		c.offend(ruleText, "no other user has done anything: %s", told)
	}
	feigned := a != nil && slices.Contains([]string{classBody, classObject, classDetail}, a.class) // Then something else has claimed that.
	if saysAccepted.MatchString(told) && !feigned && c.proxy.phase == "apply" && len(c.proxy.processed()) == 0 {
		c.offend(ruleText, "nothing was accepted: %s", told)
	}
}

// checkForeign checks what the operation has done to what another user did.
func (c *cell) checkForeign(found []truth) {
	i := c.intruded
	if i == nil {
		return
	}
	failed, told := c.errorsIn() != "", c.errorsIn()+c.warningsIn()
	at := slices.IndexFunc(found, func(t truth) bool { return t.id == i.created })
	// What is addressed by its name is the same for everybody.
	if i.created != "" && at < 0 && !c.subject.byName() {
		c.offend(ruleForeign, "%s, which another user created, is gone", i.created)
	}
	if i.deleted != "" && c.state.Exists() && c.state.text("id") == i.deleted && !i.during && !i.going(c.subject) && !c.saysUnread() {
		switch {
		case c.state.Tainted():
			c.offend(ruleGone, "%s is tainted: %s", i.deleted, c.errorsIn())
		case failed && c.operation.verb == verbCreate:
			c.offend(ruleGone, "%s is stored: %s", i.deleted, c.errorsIn())
		}
	}
	at = slices.IndexFunc(found, func(t truth) bool { return t.id == i.before.id })
	if at < 0 || i.deleted != "" {
		return
	}
	is := found[at]
	mine := c.operation.verb == verbUpdate || c.operation.verb == verbCreate
	if i.revision != "" && i.moment != beforeRefresh && mine && !strings.Contains(told, i.revision) {
		has := c.subject.held(c.subject.wanted(c.config), is.body)
		for name, value := range i.set {
			if has[name] != value {
				c.offend(ruleSilent, "revision %s set %s to %q, and it is %q: %s", i.revision, name, value, has[name], told)
			}
		}
	}
	outside := failed && c.operation.verb == verbCreate && !c.state.Exists() && c.names(is) // It isn't taken for the own one.
	if i.revision != "" && i.wrote && mine && !outside && !c.blind && len(c.lost(is)) > 0 {
		for _, id := range []string{i.revision, c.ours()} {
			if id != "" && !strings.Contains(told, id) {
				c.offend(ruleNamed, "%s (ours %s, theirs %s): %s", id, c.ours(), i.revision, told)
			}
		}
	}
	if i.revision != "" && i.wrote && failed && c.operation.verb == verbUpdate && c.state.Exists() && !c.saysUnread() {
		want := c.subject.wanted(c.config)
		state, has := c.subject.wanted(c.state.Attributes()), c.subject.held(want, is.body)
		had := c.subject.held(want, c.before.body) // The next refresh shows the difference.
		for name := range i.set {
			if !strings.HasPrefix(name, variable) && has[name] != state[name] && had[name] != state[name] {
				c.offend(ruleStored, "%s is %q in the state and %q in the service", name, state[name], has[name])
			}
		}
	}
}

// ours is the revision that the operation made before another user acted; empty if none.
func (c *cell) ours() string {
	if c.before != nil && c.intruded.before.newest == c.before.newest {
		return ""
	}
	return c.intruded.before.newest
}

// lost are the configured settings that the service doesn't have.
func (c *cell) lost(is truth) map[string]string {
	want := c.subject.wanted(c.config)
	return differences(want, c.subject.held(want, is.body))
}

// checkOverwritten checks an operation that claims success although another user has changed the object after the plan, or has deleted it
// before, so that an update creates it. What an update changes must be there; what else differs must be in a warning.
func (c *cell) checkOverwritten(is truth) {
	edited := changedSettings(c.subject.wanted(c.config), settings{})
	if c.before != nil {
		edited = changedSettings(c.subject.wanted(c.config), c.subject.held(c.subject.wanted(c.config), c.before.body))
	}
	warning := c.unusual()
	for name, difference := range c.lost(is) {
		_, mine := edited[name]
		switch {
		case warning == "":
			c.offend(ruleClaim, "%s, without a warning", difference)
		case c.blind, slices.Contains(c.subject.unseen, c.subject.field(name)): // It can't be read.
		case mine && c.updates(is):
			c.offend(ruleClaim, "%s, without an error: %s", difference, warning)
		case !strings.Contains(warning, lastPart(name)) && (!strings.HasPrefix(name, variable) || !strings.Contains(warning, "secrets")):
			c.offend(ruleClaim, "%s, and the warning doesn't name it: %s", difference, warning)
		}
	}
	for _, path := range c.operation.edit.gone {
		value := fmt.Sprint(member(is.body, path)) // Services may return what is empty.
		if !slices.Contains([]string{"<nil>", "[]", "map[]"}, value) && c.operation.verb == verbUpdate {
			c.offend(ruleClaim, "%s is still %v", path, value)
		}
	}
}

// updates reports whether the operation changes the object that there was.
func (c *cell) updates(is truth) bool { return c.operation.verb == verbUpdate && c.before.id == is.id }

func lastPart(name string) string {
	name = strings.TrimPrefix(name, variable)
	return name[strings.LastIndex(name, ".")+1:]
}

// followsOther reports whether the newest revision is that of another user, and has what is configured: it may still be in progress, and
// the next plan then waits.
func (c *cell) followsOther(is truth) bool {
	if c.intruded == nil || c.intruded.revision != is.newest || c.operation.edit.revision || c.operation.verb != verbUpdate || len(c.lost(is)) > 0 {
		return false
	}
	c.waits = true
	return true
}

// going reports whether what another user has deleted goes only after some time, in which reads show that.
func (i *intrusion) going(s subject) bool { return i.act.name == actDelete && s.revisions }

// goneIsKnown reports whether an operation may end without an error although the object isn't there: if another user deleted it, and the
// state doesn't have it, or if a creation, whose object no read has shown, has warned.
func (c *cell) goneIsKnown() bool {
	i := c.intruded
	switch {
	case i == nil || i.deleted == "":
		return false
	case !c.state.Exists(), i.during, c.state.text("id") == "": // An agent may be waiting for its connection.
		return true
	case c.blind, i.going(c.subject): // In the second case, it still exists.
		return c.unusual() != ""
	}
	if i.moment == beforeRefresh && c.operation.verb == verbUpdate {
		return strings.Contains(c.unusual(), "isn't shown by the service")
	}
	return i.moment == beforeProof && c.operation.verb != verbUpdate && c.unusual() != ""
}

// checkTime checks that clocks change nothing: what succeeds without that succeeds.
func (c *cell) checkTime(a *armed, h happening) {
	if h.dimension != dimensionClock || h.fails || c.errorsIn() == "" || h.stops > 0 && a != nil {
		return
	}
	c.offend(ruleClock, "%s", c.errorsIn())
}

// afterwards lets the time pass in which what another user deleted goes: its name is in use before, and an object that no read has shown
// since its creation stays in the state.
func (c *cell) afterwards() {
	if c.intruded == nil || c.intruded.deleted == "" {
		return
	}
	c.clock.Advance(labRollout)
	if c.state.Exists() && !slices.ContainsFunc(c.look(c.name), func(t truth) bool { return t.id == c.state.text("id") }) {
		c.clock.Advance(providertest.Unseen)
	}
}

// isTaken reports whether an error says that an object of another user has the name.
func (c *cell) isTaken() bool {
	for _, each := range c.look(c.name) {
		if !c.state.Exists() && c.intruded.recreated(each.id) && c.names(each) {
			return true
		}
	}
	return false
}
