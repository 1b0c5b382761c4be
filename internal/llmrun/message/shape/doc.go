// Package shape tells objects apart by their members.
//
// A Shape is a test, written as conditions: Condition reads one of them. shapes.txt gives names to the shapes of the formats' messages and
// parts, and explains how conditions are written; Named returns them.
package shape
