// Package rawjson reads JSON in place.
//
// Values that are not read stay raw bytes, so numbers keep their digits and long strings aren't copied. The data must be
// valid JSON in UTF-8; callers validate foreign data once.
package rawjson
