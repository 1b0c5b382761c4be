package message

import (
	"encoding/json"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Types of parts in the responses format.
const (
	kindInputText  = "input_text"
	kindOutputText = "output_text"
	kindInputImage = "input_image"
	kindInputFile  = "input_file"
	kindInputAudio = "input_audio"
)

// textKind returns the type of a text with a role.
func textKind(role string) string {
	if role == RoleAssistant {
		return kindOutputText
	}
	return kindInputText
}

// partReader reads the parts of messages with a role.
func partReader(role string) func(json.RawMessage) Block {
	return func(raw json.RawMessage) Block { return parseItemPart(raw, role) }
}

func parseItemPart(raw json.RawMessage, role string) Block {
	o, _ := rawjson.ReadObject(raw)
	kind, _ := o.Text("type")
	switch {
	case (kind == kindInputText || kind == kindOutputText || kind == BlockText) && rawjson.IsString(o.Get("text")):
		b := Block{Type: BlockText}
		b.Extras = o.Rest(b.takeAs(o, "text", "text", "annotations", "annotations")...)
		if kind != textKind(role) {
			b.Layout.put(layoutPart, rawjson.Quote(kind))
		}
		return b
	case kind == "refusal" && rawjson.IsString(o.Get("refusal")):
		return parsePart(raw)
	case kind == kindInputImage:
		b := Block{Type: BlockImage}
		taken := b.takeAs(o, "file_id", "id")
		if url, ok := o.Text("image_url"); ok {
			b.takeURL(url)
			taken = append(taken, "image_url")
		}
		b.Extras = o.Rest(taken...)
		return b
	case kind == kindInputFile:
		return parseInputFile(o)
	case kind == kindInputAudio && rawjson.IsObject(o.Get(kind)):
		return parseMediaPart(o, kind)
	case blockFields[kind] != nil:
		b := parseNativeBlock(raw)
		b.Layout.put(layoutPart, notePartNative)
		return b
	default:
		return verbatimBlock(o, kind)
	}
}

// parseInputFile reads {"type":"input_file","file_data","file_url","file_id","filename"}.
func parseInputFile(o rawjson.Object) Block {
	b := Block{Type: BlockFile}
	var data []string
	if text, ok := o.Text("file_data"); ok {
		if b.takeURL(text); b.Base64 == nil {
			b.Base64, b.URL = b.URL, nil
		}
		data = append(data, "file_data")
	}
	b.Extras = o.Rest(append(data, b.takeAs(o, "file_url", "url", "file_id", "id")...)...)
	return b
}

// buildItemPart writes a part of a message with a role.
func buildItemPart(b *Block, role string) json.RawMessage {
	note, _ := rawjson.ReadString(b.Layout[layoutPart])
	switch {
	case note == "native" || note == "verbatim":
		return buildNativeBlock(b)
	case note == "refusal" || b.Type == BlockAudio:
		return buildPart(b)
	}
	switch b.Type {
	case BlockText:
		kind := note
		if kind == "" {
			kind = textKind(role)
		}
		return ofType(kind).WithText("text", b.Text).WithRaw("annotations", b.Annotations).WithAll(b.Extras).Encode()
	case BlockImage:
		return ofType(kindInputImage).WithText("image_url", b.address()).WithText("file_id", b.ID).WithAll(b.Extras).Encode()
	case BlockFile:
		var data *string
		if b.Base64 != nil {
			data = b.address()
		}
		return ofType(kindInputFile).WithText("file_data", data).WithText("file_url", b.URL).WithText("file_id", b.ID).
			WithAll(b.Extras).Encode()
	default:
		return buildNativeBlock(b)
	}
}
