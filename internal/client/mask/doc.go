// Package mask keeps secrets out of texts that a service wrote.
//
// Services echo their input in error messages, which Terraform prints: unchanged, cut off, or encoded, perhaps twice. A text is therefore
// decoded in all forms of a table (forms.go), and every place that decodes to a secret, or to a long fragment of one, is replaced. Other
// encodings aren't found: a new one is a new row of the table, and the tests try each row inside each other.
package mask
