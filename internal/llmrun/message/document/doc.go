// Package document has the normal form to which the inputs and outputs of model calls are read: messages, blocks, and what a
// format carries besides them.
//
// Nothing that a format carries is dropped. What the normal form has no field for is in the extras of the document, the
// message or the block, under the key that it had; a part or a call that wraps its values in an object keeps the rest of
// that object under the object's name ("image_url": {"detail": …}, "function": {…}). Some keys are this package's own:
// "choice" and "generation" on a message hold what stands beside it in a choice or a generation, "beside" what stands around a part or a
// message under a name that is taken, "type" on a block the type that it had where the normal form has one for several, "lists" on
// a document tells how many messages belong to which of several prompts, "aside" are entries of a list of
// messages that nobody said, "raw" is an unrecognized document, and "unreduced_chunks" are the pieces of a stream that were
// not understood. A document in which such a key is taken already counts as unrecognized.
//
// A Document shares memory with the data it was read from: see package rawjson.
package document
