package message

import (
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// format is how a format is recognized, read, checked and written.
type format struct {
	name Format
	// has says whether a document has a shape that only this format has; nil for formats in shapes that several share.
	has func(Source) bool
	// read fails if a key that the normal form needs is taken.
	read  func(Source) (*Document, bool)
	check func(*validator, Source)
	// target is nil for formats to which documents aren't converted.
	target *target
}

// formats are all formats. Of those with their own shape, the first that a document has counts.
var formats = []format{
	{name: FormatFramework, has: hasFramework, read: parseFramework, check: checkFramework},
	{name: FormatGemini, has: isGemini, read: parseGemini, check: checkGemini},
	{name: FormatConverse, has: isConverse, read: parseConverse, check: checkConverse},
	{name: FormatResponses, has: hasResponses, read: parseResponses, check: checkResponses, target: responsesTarget},
	{name: FormatSDK, has: isSDK, read: parseSDK, check: checkSDK},
	{name: FormatCohere, has: isCohere, read: parseCohere, check: checkCohere},
	{name: FormatNative, read: parseNative, check: checkNative},
	{name: FormatChatCompletions, read: parseChat, check: checkChat, target: chatTarget},
	{name: FormatMessages, read: parseMessages, check: checkMessages, target: messagesTarget},
}

// hasResponses says whether a document has items of the responses format, which a framework's messages under the same key aren't.
func hasResponses(src Source) bool {
	key := map[Side]string{Inputs: "input", Outputs: "output"}[src.Side]
	items, _ := rawjson.ReadArray(src.Object.Get(key))
	return isResponses(src) && !areFrameworkMessages(items)
}

// findFormat returns a format by its name; nil if there is none.
func findFormat(name Format) *format {
	if i := slices.IndexFunc(formats, func(f format) bool { return f.name == name }); i >= 0 {
		return &formats[i]
	}
	return nil
}
