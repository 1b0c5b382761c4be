// Package llmrun knows the shapes that the data of a language-model run can have, and the one normal form they share.
//
// Normalize recognises the format of a run's inputs or outputs and reads it into a Document; Document.Native writes the
// normal form, Document.Build any other format, as long as nothing would be lost. Validate lists what breaks the rules
// of the format. Nothing here knows Terraform or HTTP.
//
// Nothing that a format carries is dropped. What the normal form has no field for is in the extras of the document, the
// message or the block, under the key that it had; a part or a call that wraps its values in an object keeps the rest of
// that object under the object's name ("image_url": {"detail": …}, "function": {…}). Some keys are this package's own:
// "choice" and "generation" on a message hold what stands beside it in a choice or a generation, "message" what a message
// said that became several, "type" on a block the type that it had where the normal form has one for several, "lists" on
// a document tells how many messages belong to which of several prompts, "raw" is an unrecognized document, and
// "unreduced_chunks" are the pieces of a stream that were not understood. A document in which such a key is taken already
// counts as unrecognized.
//
// Beside the messages, the package reads runs as a whole: times, ids and places in a trace, the model, the usage and its
// cost in exact decimals, and the time to the first token.
//
// JSON is read in place: whatever a format carries beyond the normal form is kept as the bytes that it was, so numbers
// keep their digits, and a Document shares memory with the data it was read from.
package llmrun
