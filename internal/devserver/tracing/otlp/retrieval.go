package otlp

import (
	"encoding/json"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// documents removes the retrieved documents, and returns them in the form of the tracing framework.
func (a attributes) documents() json.RawMessage {
	if whole := a.payload("gen_ai.retrieval.documents"); whole != nil {
		list, is := rawjson.ReadArray(whole)
		if !is {
			return whole
		}
		documents := make([]json.RawMessage, len(list))
		for i, raw := range list {
			documents[i] = raw
			if document, is := rawjson.ReadObject(raw); is {
				documents[i] = renamed(document, "content", "page_content").Encode()
			}
		}
		return rawjson.EncodeArray(documents)
	}
	entries := a.entries("retrieval.documents.")
	documents := make([]json.RawMessage, 0, len(entries))
	for _, fields := range entries {
		document := rawjson.Of("page_content", rawjson.Quote(fields.text("document.content")))
		for _, name := range []string{"metadata", "id", "score"} {
			document = document.WithRaw(name, fields.payload("document."+name))
		}
		documents = append(documents, document.Encode())
	}
	if len(documents) == 0 {
		return nil
	}
	return rawjson.EncodeArray(documents)
}

// vectors removes the vectors of embeddings.
func (a attributes) vectors() json.RawMessage {
	if vectors := a.list("ai.embeddings"); vectors != nil {
		return vectors
	}
	var vectors []json.RawMessage
	for _, fields := range a.entries("embedding.embeddings.") {
		if vector := fields.payload("embedding.vector"); vector != nil { // The texts are the inputs.
			vectors = append(vectors, vector)
		}
	}
	if vectors != nil {
		return rawjson.EncodeArray(vectors)
	}
	if vector := a.payload("ai.embedding"); vector != nil {
		return rawjson.EncodeArray([]json.RawMessage{vector})
	}
	return nil
}
