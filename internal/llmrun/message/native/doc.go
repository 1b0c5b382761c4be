// Package native reads and checks the normal form, in any envelope. Package document writes it.
package native
