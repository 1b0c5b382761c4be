// Command docpages shortens generated pages: a nested schema that an earlier one on the same page repeats becomes a link to that one.
//
// The documentation generator writes a section for every nested attribute, also where several attributes share a shape.
//
// It also writes the tables of libraries and packages in the guides, from the recordings with which the dev server is tested.
package main
