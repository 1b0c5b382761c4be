// Package form is what requests and answers say, as Go types: bodies are decoded strictly, every problem with its location, and encoded
// with every field that is documented. It knows no HTTP, so whatever reads what a client has sent can use it.
//
// The tags of a type's fields say what is required. [Validator] checks what types can't say. Whatever refuses a request, be it deep in a
// service, returns an [Error] of one of the kinds; rest alone knows the status of each. Texts are the service's own, and are translated to
// the client's dialect when they are answered.
package form
