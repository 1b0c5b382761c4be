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

// Testable reports whether there is a test of a run: it has messages in a known format.
func (v RunView) Testable() bool {
	recognized := func(d Document) bool { return conversation{Document: d}.Recognized() }
	return v.RawSize > 0 && (recognized(v.Inputs) || recognized(v.Outputs))
}
