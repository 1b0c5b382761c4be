// Package otlp turns the spans of an OpenTelemetry export request into operations on runs.
//
// What a span says about a call of a model is written in one of several conventions: the attributes of the tracing service
// itself, the GenAI semantic conventions (current and earlier names, attributes and events), OpenInference, OpenLLMetry, and
// the AI SDK. Where several are given, the first in this order counts. Attributes that mean nothing here are kept as
// metadata.
package otlp
