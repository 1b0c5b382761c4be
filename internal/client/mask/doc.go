// Package mask keeps secrets out of texts that a service wrote.
//
// Services echo their input in error messages, and Terraform prints these: as they got it, cut off, or encoded, perhaps twice. So a text is
// decoded in all forms of a table (forms.go), and every place from which a secret, or a long fragment of one, was decoded is replaced. What
// isn't in the table isn't found: a new form is a new row, and the tests try each row inside each other.
package mask
