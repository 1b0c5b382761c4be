// Package envelope unwraps documents in the shapes that several formats share: {"messages": […]}, {"choices": […]}, a single
// message, a prompt, or any of these under the key of a client that logs only objects.
//
// It also reads what messages in these shapes have in common, and knows the names that providers and frameworks have for
// the roles of the normal form.
package envelope
