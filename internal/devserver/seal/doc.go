// Package seal keeps secrets unreadable in the data file, with a key that lies beside it.
package seal
