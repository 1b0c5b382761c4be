// Package part reads the parts of messages: texts, reasoning, media, calls and their results, in the form of any provider,
// gateway or framework.
//
// A part is read in the same way whatever format its message has, because gateways and frameworks pass on the parts of the
// provider behind them. table.go maps the type of a part to its forms: to add one, add a line. item.go has the items of
// the responses format that contain a call and its result, call.go the calls beside the content of a message. Parts
// without a type, as in the Gemini and Converse formats, are read by the packages of these formats.
package part
