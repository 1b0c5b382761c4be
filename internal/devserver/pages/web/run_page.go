package web

// Limits on lists on a page, which clients can make arbitrarily long.
const (
	maxEvents   = 100
	maxFeedback = 50
	maxMetadata = 60
	maxTags     = 50
	maxError    = 24 << 10
	maxTools    = 100
)

// runPage is the data for the template of a run.
type runPage struct {
	RunView
	// Sides are the inputs and the outputs.
	Sides []conversation
	// ErrorText is the error, truncated to the available space.
	ErrorText longText
	// EventsShown are the first events, and that of the first token; EventsOmitted is the number of others.
	EventsShown   []Event
	EventsOmitted int

	ToolsShown      []shownTool
	MetadataShown   []Setting
	MetadataOmitted int
	TagsShown       []string
	FeedbackShown   []Feedback
	ProblemsShown   []Problem
}

func newRunPage(v RunView) runPage {
	runID := v.Run.ID
	if v.RawSize == 0 { // The reader can't see more of the run than this.
		runID = ""
	}
	toolRoom := room{rawRoom}
	p := runPage{
		RunView: v, Sides: []conversation{newConversation("inputs", v.Inputs, v.Paths(), runID), newConversation("outputs", v.Outputs, v.Paths(), runID)},
		MetadataShown: v.Metadata[:min(len(v.Metadata), maxMetadata)], TagsShown: v.Tags[:min(len(v.Tags), maxTags)],
		FeedbackShown: v.Feedback[:min(len(v.Feedback), maxFeedback)], ProblemsShown: v.Problems[:min(len(v.Problems), maxProblems)],
	}
	if inputs := &p.Sides[0]; len(inputs.Folded) == int(v.Inputs.Earlier)-inputs.Unlisted {
		inputs.Previous = v.Previous
	}
	for _, t := range v.Tools[:min(len(v.Tools), maxTools)] {
		p.ToolsShown = append(p.ToolsShown, shownTool{t, newShownJSON(t.Definition, &toolRoom)})
	}
	p.MetadataOmitted = len(v.Metadata) - len(p.MetadataShown)
	errorRoom := room{maxError}
	p.ErrorText.Text, p.ErrorText.Tail, p.ErrorText.Omitted = errorRoom.ends(v.Run.Error, maxError)
	for i, e := range v.Events {
		if i < maxEvents || e.FirstToken {
			p.EventsShown = append(p.EventsShown, e)
		}
	}
	p.EventsOmitted = len(v.Events) - len(p.EventsShown)
	return p
}

// shownTool is a tool with its definition, truncated to the available space.
type shownTool struct {
	Tool
	Shown *shownJSON
}
