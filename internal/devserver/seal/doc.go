// Package seal encrypts secrets in the data file, with a key in a file next to it.
package seal
