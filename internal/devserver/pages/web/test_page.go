package web

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
