package web

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
