// Package part reads the parts of messages: texts, reasoning, media, calls and their results, in the form of any provider,
// gateway or framework.
//
// A part is read in the same way whatever format its message has, because gateways and frameworks pass on the parts of the
// provider behind them. table.go maps the type of a part to its forms, and member.go the member that identifies a part
// without a type: to add a form, add a line. table_agents.go has the forms of agents and protocols, and media.go what media
// have in common. item.go has the items of the responses format that contain a call and its result, call.go the calls beside
// the content of a message, and answer.go the answers of tools, which become messages.
package part
