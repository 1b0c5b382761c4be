package web

import (
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"strings"
)

// maxMedia bounds what a page shows of an image, a sound or a film: it is a part of the page.
const maxMedia = 4 << 20

// mediaTypes are the media types that pages show, by the type of the block. An SVG is not among them: it is a document,
// which can hold scripts and links, and is told of as any other file.
var mediaTypes = map[string][]string{
	"image": {"image/png", "image/jpeg", "image/gif", "image/webp"},
	"audio": {
		"audio/mpeg", "audio/mp4", "audio/aac", "audio/ogg", "audio/opus", "audio/wav", "audio/webm", "audio/flac",
	},
	"video": {"video/mp4", "video/webm", "video/ogg"},
}

// mediaAliases are media types by other names.
var mediaAliases = map[string]string{
	"image/jpg": "image/jpeg", "audio/mp3": "audio/mpeg", "audio/x-wav": "audio/wav", "audio/wave": "audio/wav",
	"audio/x-m4a": "audio/mp4", "audio/x-flac": "audio/flac",
}

// media is an image, a file, a sound or a film in a message.
type media struct {
	// Kind is the type of the block.
	Kind string
	// Label says what it is, as far as that is known.
	Label string
	// Data is a data: address of something that is safe to show, else empty.
	Data template.URL
	// Address is an address as text. It is never loaded; a link to it is offered where it is one of the web.
	Address string
	// FileID names a file that is elsewhere.
	FileID string
}

// newMedia is what can be shown of a block.
func newMedia(b Block) media {
	m := media{Kind: b.Type, Address: b.URL, FileID: b.ID}
	mimeType, encoded := b.MIMEType, b.Base64
	if declared, data, ok := cutDataURL(b.URL); ok {
		m.Address = ""
		if encoded == "" {
			mimeType, encoded = declared, data
		}
	}
	mimeType = plainType(mimeType)
	facts := []string{b.Type}
	content, err := decodeBase64(encoded)
	if mimeType == "" && len(content) > 0 {
		mimeType = plainType(http.DetectContentType(content))
	}
	if mimeType != "" {
		facts = append(facts, mimeType)
	}
	switch {
	case encoded == "":
	case err != nil:
		facts = append(facts, "whose base64 can't be read")
	case len(content) > maxMedia:
		facts = append(facts, size(int64(len(content)))+", too large to show")
	default:
		facts = append(facts, size(int64(len(content))))
		for _, safe := range mediaTypes[b.Type] {
			if mimeType == safe {
				m.Data = template.URL("data:" + safe + ";base64," + base64.StdEncoding.EncodeToString(content)) //nolint:gosec // One of our types, and base64 of our own.
			}
		}
		if m.Data == "" {
			facts = append(facts, "not shown")
		}
	}
	if b.Name != "" {
		facts = append(facts, fmt.Sprintf("%q", b.Name))
	}
	m.Label = strings.Join(facts, ", ")
	return m
}

// cutDataURL takes an address apart that holds base64.
func cutDataURL(address string) (mimeType, encoded string, ok bool) {
	if len(address) < 5 || !strings.EqualFold(address[:5], "data:") {
		return "", "", false
	}
	head, encoded, _ := strings.Cut(address[5:], ",")
	mimeType, ok = strings.CutSuffix(head, ";base64")
	if !ok {
		return head, "", true
	}
	return mimeType, encoded, true
}

// plainType is a media type in small letters, by its usual name and without parameters.
func plainType(mimeType string) string {
	mimeType, _, _ = strings.Cut(mimeType, ";")
	mimeType = strings.ToLower(strings.TrimSpace(mimeType))
	if usual, ok := mediaAliases[mimeType]; ok {
		return usual
	}
	return mimeType
}

// decodeBase64 takes both alphabets, with and without padding and line breaks: clients write all of them.
func decodeBase64(encoded string) ([]byte, error) {
	encoded = strings.NewReplacer("-", "+", "_", "/", "=", "", "\n", "", "\r", "", " ", "").Replace(encoded)
	return base64.RawStdEncoding.DecodeString(encoded)
}
