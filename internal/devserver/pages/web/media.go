package web

import (
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"strings"
)

// maxMedia is the maximum size of an image, audio or video that is embedded in a page.
const maxMedia = 4 << 20

// mediaTypes are the media types that pages embed, by type of block. SVG is not among them: it is a document that can
// contain scripts and links, and is shown like any other file.
var mediaTypes = map[string][]string{
	"image": {"image/png", "image/jpeg", "image/gif", "image/webp"},
	"audio": {
		"audio/mpeg", "audio/mp4", "audio/aac", "audio/ogg", "audio/opus", "audio/wav", "audio/webm", "audio/flac",
	},
	"video": {"video/mp4", "video/webm", "video/ogg"},
}

// mediaAliases maps alternative names of media types.
var mediaAliases = map[string]string{
	"image/jpg": "image/jpeg", "audio/mp3": "audio/mpeg", "audio/x-wav": "audio/wav", "audio/wave": "audio/wav",
	"audio/x-m4a": "audio/mp4", "audio/x-flac": "audio/flac",
}

// media is an image, a file, audio or video in a message.
type media struct {
	// Kind is the type of the block.
	Kind string
	// Label describes it as far as possible.
	Label string
	// Data is a data: URL of something that is safe to show, else empty.
	Data template.URL
	// Address is a URL as text. It is never loaded; HTTP URLs become links.
	Address string
	// FileID is the ID of an external file.
	FileID string
}

// newMedia returns what can be shown of a block.
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
		facts = append(facts, "with invalid base64")
	case len(content) > maxMedia:
		facts = append(facts, size(int64(len(content)))+", too large to show")
	default:
		facts = append(facts, size(int64(len(content))))
		for _, safe := range mediaTypes[b.Type] {
			if mimeType == safe {
				m.Data = template.URL("data:" + safe + ";base64," + base64.StdEncoding.EncodeToString(content)) //nolint:gosec // An allowed type, and base64 that was encoded here.
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

// cutDataURL splits a data URL with base64.
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

// plainType returns a media type in lower case, with its usual name and without parameters.
func plainType(mimeType string) string {
	mimeType, _, _ = strings.Cut(mimeType, ";")
	mimeType = strings.ToLower(strings.TrimSpace(mimeType))
	if usual, ok := mediaAliases[mimeType]; ok {
		return usual
	}
	return mimeType
}

// decodeBase64 accepts both alphabets, with and without padding and line breaks: clients use all of them.
func decodeBase64(encoded string) ([]byte, error) {
	encoded = strings.NewReplacer("-", "+", "_", "/", "=", "", "\n", "", "\r", "", " ", "").Replace(encoded)
	return base64.RawStdEncoding.DecodeString(encoded)
}
