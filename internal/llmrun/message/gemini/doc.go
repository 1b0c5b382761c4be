// Package gemini reads and checks contents and candidates, whose parts have no type but a member for it, in two spellings.
package gemini
