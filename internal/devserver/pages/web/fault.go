package web

import (
	"net/http"
	"strconv"
)

// effects describes what a fault does, in the order in which it happens.
func effects(f Fault) []string {
	var all []string
	if f.Latency > 0 {
		all = append(all, "waits "+duration(&f.Latency))
	}
	switch {
	case f.DropBefore:
		all = append(all, "closes the connection without performing the operation")
	case f.Drop:
		all = append(all, "performs the operation and closes the connection without a response")
	case f.Status != 0:
		all = append(all, answerOf(f))
	case f.Swallow:
		all = append(all, "answers without storing the change")
	case f.Stale:
		all = append(all, "changes the object, but answers with the previous one")
	}
	if f.Body != nil {
		all = append(all, "replaces the body by "+strconv.Quote(*f.Body))
	}
	if r := f.Rollout; r != nil {
		all = append(all, r.effects()...)
	}
	return all
}

func answerOf(f Fault) string {
	text := "answers " + strconv.FormatInt(f.Status, 10)
	if name := http.StatusText(int(f.Status)); name != "" {
		text += " " + name
	}
	switch {
	case f.Detail != "":
		text += " with the detail " + strconv.Quote(f.Detail)
	case f.HTML != "":
		text += " with HTML: " + f.HTML
	}
	if f.RetryAfter != nil {
		text += ", to be retried after " + strconv.FormatInt(*f.RetryAfter, 10) + " s"
	}
	return text
}

func (r RolloutFault) effects() []string {
	var all []string
	if r.Status != "" {
		all = append(all, "is "+r.Status+" instead of "+r.State)
	}
	switch {
	case r.Stall:
		all = append(all, "stays in "+r.State+" forever")
	case r.Status == "":
		all = append(all, "fails in "+r.State)
	}
	if r.Message != "" {
		all = append(all, "with the message "+strconv.Quote(r.Message))
	}
	return all
}
