// Package rawjson reads JSON in place.
//
// What nobody asks for stays the bytes that it was, so numbers keep their digits and long texts aren't copied. The data
// has to be valid JSON in UTF-8; whoever takes it from outside makes sure of that once.
package rawjson
