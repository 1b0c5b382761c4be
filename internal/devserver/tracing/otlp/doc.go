// Package otlp converts the spans of an OpenTelemetry export request to operations on runs.
//
// Spans describe model calls in one of several conventions: the tracing service's own attributes, the GenAI semantic
// conventions (current and earlier names, attributes and events), OpenInference, OpenLLMetry, and the AI SDK. If several
// are present, the first in this order takes precedence. Libraries with names of their own are read by the last words of
// these names. Other attributes are kept as metadata.
package otlp
