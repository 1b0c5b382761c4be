// Package gemini reads, checks and reduces contents and candidates, whose parts have no type but a member for it, in two spellings.
package gemini
