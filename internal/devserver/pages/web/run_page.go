package web

// maxEvents bounds how many events a page shows: some clients log one for each token.
const maxEvents = 200

// runPage is what the template of a run shows.
type runPage struct {
	RunView
	// Sides are the inputs and the outputs.
	Sides []conversation
	// EventsShown are the first events, and that of the first token; EventsOmitted how many others there are.
	EventsShown   []Event
	EventsOmitted int
}

func newRunPage(v RunView) runPage {
	p := runPage{RunView: v, Sides: []conversation{newConversation("inputs", v.Inputs), newConversation("outputs", v.Outputs)}}
	for i, e := range v.Events {
		if i < maxEvents || e.FirstToken {
			p.EventsShown = append(p.EventsShown, e)
		}
	}
	p.EventsOmitted = len(v.Events) - len(p.EventsShown)
	return p
}
