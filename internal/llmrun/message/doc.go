// Package message reads, checks and writes the inputs and outputs of model calls in every format that is known.
//
// Normalize recognizes the format of a run's inputs or outputs and reads it into a document.Document; Build writes it in
// another format, as long as nothing would be lost. Validate lists what breaks the rules of the format.
//
// formats.go is the table of formats, each of which has a package, and detect.go tells them apart: by shapes that only one
// format has, or else by the evidence in the messages. The formats share package part, which reads the parts of messages,
// package envelope, which unwraps documents, and packages check and convert.
package message
