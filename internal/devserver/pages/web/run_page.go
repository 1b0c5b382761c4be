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
	p.Sides[0].Previous = v.Previous
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

// MessageView is one message of a run.
type MessageView struct {
	Frame
	// RunID, TraceID and RunName are those of the run. Side is inputs or outputs.
	RunID, TraceID, RunName, Side string
	// Number counts from 1, Count is the number of messages.
	Number, Count int64
	Message       Message
}

// messageRoom is the size of a message on its own page.
const messageRoom = 1 << 20

// messagePage is the data for the template of a message.
type messagePage struct {
	MessageView
	Conversation         conversation
	PreviousURL, NextURL string
}

func newMessagePage(v MessageView) messagePage {
	p := messagePage{MessageView: v}
	p.Conversation = conversation{Side: v.Side, paths: v.Paths(), room: room{messageRoom}}
	p.Conversation.show(shownMessage{Message: v.Message, Number: int(v.Number)}, v.Message.Content, map[string]*shownBlock{})
	if v.Number > 1 {
		p.PreviousURL = v.Paths().Message(v.RunID, v.Side, int(v.Number-1))
	}
	if v.Number < v.Count {
		p.NextURL = v.Paths().Message(v.RunID, v.Side, int(v.Number+1))
	}
	return p
}

// TestView is a test for Terraform of what was logged about a run.
type TestView struct {
	Frame
	// RunID, TraceID and RunName are those of the run.
	RunID, TraceID, RunName string
	// Configuration is the module, and Test are its tests, in a file with the name TestName. FixtureName is the file that they read: the run.
	Configuration, Test, TestName, FixtureName string
}

// FixtureCommand saves the run.
func (v TestView) FixtureCommand() string {
	return `curl -fsS -H "X-Api-Key: $AGENTPLANE_API_KEY" ` + shellQuote(origin(v.Frame)+v.Paths().RawRun(v.RunID)) + " -o " + shellQuote(v.FixtureName)
}

// TestedID is the run of which a test is made: the run itself if it has messages in a known format, else the last call of a model below it.
// It is empty if there is none.
func (v RunView) TestedID() string {
	recognized := func(d Document) bool { return conversation{Document: d}.Recognized() }
	if v.RawSize > 0 && (recognized(v.Inputs) || recognized(v.Outputs)) {
		return v.Run.ID
	}
	return v.LastCallID
}
