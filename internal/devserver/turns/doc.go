// Package turns shares scarce places, such as connections to the database, between workspaces.
//
// A workspace never takes more than its share of them, even if all others are free: another one that comes finds a place at once. If all
// places are taken, the next one goes to the workspace with the fewest, however many requests others have waiting.
package turns
