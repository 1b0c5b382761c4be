// Package seal encrypts secrets in the data file, with a key stored beside it.
package seal
