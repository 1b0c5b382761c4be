package web

import (
	"slices"
	"strings"
	"time"
)

// RolloutView is one rollout: why it ended as it did, and what it changed.
type RolloutView struct {
	Frame
	DeploymentID, DeploymentName string
	// Rollout is the live part.
	Rollout RolloutPart
	// Live says that it is kept up to date.
	Live bool
	// Others are the other revisions of the deployment, newest first, and Against the ID of the one with which Settings compare.
	Others   []RevisionChoice
	Against  string
	Settings ComparedSettings
	// BeforeAfter are the figures of the deployment's traces; nil if it has no project.
	BeforeAfter *BeforeAfter
	// Filter selects the requests of Rollout.
	Filter AnswerFilter
}

// RolloutPart is the part of a rollout's page that changes while it lasts.
type RolloutPart struct {
	Frame
	DeploymentID string
	// Revision has no Changes: the page compares it with any other one.
	Revision Revision
	// Requests are those that made the revision, and others that concern the deployment while it was rolled out, newest first.
	// DevAPI reports whether the server shows requests.
	Requests []Request
	DevAPI   bool
	Filtered bool
}

// Cause is the first line that explains a failure; empty if there is none.
type Cause struct {
	Line string
	// Source is the label of the log that it is from, and Log the number of that log on the page.
	Source string
	Log    int
	Time   time.Time
}

// RevisionChoice is a revision to choose.
type RevisionChoice struct{ ID, Label string }

// ComparedSetting is a setting on two sides; empty texts are unset values.
type ComparedSetting struct {
	Name, Before, After string
}

// Differs reports whether the sides differ.
func (s ComparedSetting) Differs() bool { return s.Before != s.After }

// BeforeAfter are the figures of traces for the same time before and after a moment.
type BeforeAfter struct {
	ProjectID     string
	At            time.Time
	Span          time.Duration
	Before, After Figures
}

// SettingsView compares the settings of two deployments.
type SettingsView struct {
	Frame
	// A and B are the names, as they were given.
	A, B     SettingsSide
	Names    []string
	Settings ComparedSettings
	// Problem says why nothing is compared.
	Problem string
}

// SettingsSide is one of two deployments.
type SettingsSide struct{ Name, ID string }

// ComparedSettings are those of two sides.
type ComparedSettings []ComparedSetting

// Differing returns those that differ.
func (all ComparedSettings) Differing() []ComparedSetting {
	return slices.DeleteFunc(slices.Clone(all), func(s ComparedSetting) bool { return !s.Differs() })
}

// Same returns those that don't differ.
func (all ComparedSettings) Same() []ComparedSetting {
	return slices.DeleteFunc(slices.Clone(all), ComparedSetting.Differs)
}

// Outcome describes in a sentence how far a rollout has come.
func (r Revision) Outcome() string {
	var state, took string
	for _, s := range r.States {
		if s.Duration != nil {
			state, took = s.Status, duration(s.Duration)
		}
	}
	whole := duration(r.Elapsed)
	switch {
	case strings.HasSuffix(r.Status, "FAILED") && state != "":
		return "Failed in " + state + " after " + took + " there, " + whole + " in all."
	case strings.HasSuffix(r.Status, "FAILED"):
		return "Failed after " + whole + "."
	case r.Status == "DEPLOYED":
		return "Deployed in " + whole + "."
	case r.Status == "SKIPPED":
		return "Superseded by a newer revision after " + whole + "."
	case r.Status == "INTERRUPTED":
		return "Interrupted after " + whole + "."
	default:
		return "In progress: " + r.Status + ", " + whole + " in all."
	}
}
