// Package tracing is the tracing service. It connects the packages below, which are about one thing each:
//
//   - run keeps what agents have done, and answers queries about it,
//   - session is the projects to which runs belong, and thread the conversations that they form,
//   - share gives access to a run by a token,
//   - ingest and otlp read what clients send,
//   - price says what tokens cost, and figure adds up,
//   - feedback is what people said,
//   - dataset is what agents are tested with.
package tracing
