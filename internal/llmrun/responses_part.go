package llmrun

import (
	"encoding/json"
)

// Types of parts in the responses format.
const (
	kindInputText  = "input_text"
	kindOutputText = "output_text"
	kindInputImage = "input_image"
	kindInputFile  = "input_file"
	kindInputAudio = "input_audio"
)

// textKind is the type of a text that a role says.
func textKind(role string) string {
	if role == RoleAssistant {
		return kindOutputText
	}
	return kindInputText
}

// partReader reads the parts that a role says.
func partReader(role string) func(json.RawMessage) Block {
	return func(raw json.RawMessage) Block { return parseItemPart(raw, role) }
}

func parseItemPart(raw json.RawMessage, role string) Block {
	o, _ := readObject(raw)
	kind, _ := o.text("type")
	switch {
	case (kind == kindInputText || kind == kindOutputText || kind == BlockText) && isString(o.get("text")):
		b := Block{Type: BlockText}
		b.Extras = o.rest(b.takeAs(o, "text", "text", "annotations", "annotations")...)
		if kind != textKind(role) {
			b.Layout.put(layoutPart, quote(kind))
		}
		return b
	case kind == "refusal" && isString(o.get("refusal")):
		return parsePart(raw)
	case kind == kindInputImage:
		b := Block{Type: BlockImage}
		taken := b.takeAs(o, "file_id", "id")
		if url, ok := o.text("image_url"); ok {
			b.takeURL(url)
			taken = append(taken, "image_url")
		}
		b.Extras = o.rest(taken...)
		return b
	case kind == kindInputFile:
		return parseInputFile(o)
	case kind == kindInputAudio && isObject(o.get(kind)):
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
func parseInputFile(o object) Block {
	b := Block{Type: BlockFile}
	var data []string
	if text, ok := o.text("file_data"); ok {
		if b.takeURL(text); b.Base64 == nil {
			b.Base64, b.URL = b.URL, nil
		}
		data = append(data, "file_data")
	}
	b.Extras = o.rest(append(data, b.takeAs(o, "file_url", "url", "file_id", "id")...)...)
	return b
}

// buildItemPart writes a part that a role says.
func buildItemPart(b *Block, role string) json.RawMessage {
	note, _ := readString(b.Layout[layoutPart])
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
		return ofType(kind).withText("text", b.Text).withRaw("annotations", b.Annotations).withAll(b.Extras).encode()
	case BlockImage:
		return ofType(kindInputImage).withText("image_url", b.address()).withText("file_id", b.ID).withAll(b.Extras).encode()
	case BlockFile:
		var data *string
		if b.Base64 != nil {
			data = b.address()
		}
		return ofType(kindInputFile).withText("file_data", data).withText("file_url", b.URL).withText("file_id", b.ID).
			withAll(b.Extras).encode()
	default:
		return buildNativeBlock(b)
	}
}
