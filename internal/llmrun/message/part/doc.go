// Package part reads the parts of messages: texts, reasoning, media, calls and their results, in the form of any provider,
// gateway or framework.
//
// A part is read in the same way whatever format its message has, because gateways and frameworks pass on the parts of the
// provider behind them. forms.txt maps the type of a part, or the member that identifies a part without a type, to its forms: to add
// a form, add a line. form.go reads that table and the parts by it, take.go what a line can't express and what media have in common.
// call.go has the calls beside the content of a message, the answers of tools, which become messages, and the items of the responses
// format that contain a call and its result.
package part
