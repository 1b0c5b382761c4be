package pages_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// inSight reports whether a text is visible without scrolling: it is in the viewport, and nothing covers it.
const inSight = `(text => {
	const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	for (let node = walker.nextNode(); node; node = walker.nextNode()) {
		const at = node.data.indexOf(text);
		if (at < 0) continue;
		const range = document.createRange();
		range.setStart(node, at);
		range.setEnd(node, at + text.length);
		const box = range.getClientRects()[0];
		if (!box || box.top < 0 || box.bottom > innerHeight || box.left < 0 || box.left >= innerWidth) continue;
		const top = document.elementFromPoint(box.left + 1, (box.top + box.bottom) / 2);
		if (top && (node.parentElement.contains(top) || top.contains(node.parentElement))) return true;
	}
	return false;
})`

// wantInSight checks that texts are visible without scrolling. It waits for them, because a browser shows the beginning of a page before
// it has read the rest.
func (b *tab) wantInSight(texts ...string) *tab {
	b.t.Helper()
	for _, text := range texts {
		quoted, err := json.Marshal(text)
		if err != nil {
			b.t.Fatal(err)
		}
		for end := time.Now().Add(10 * time.Second); !value[bool](b, inSight+"("+string(quoted)+")"); time.Sleep(50 * time.Millisecond) {
			if time.Now().After(end) {
				b.t.Errorf("%q isn't in sight at %s", text, value[string](b, `location.pathname + location.search + " in " + innerWidth + "x" + innerHeight`))
				break
			}
		}
	}
	return b
}

// onScreens runs a task on a wide screen, and on a narrow one in the dark without scripts.
func onScreens(t *testing.T, task func(b *tab)) {
	t.Helper()
	browser := devservertest.NewBrowser(t)
	wide := newTab(browser, t)
	wide.do(chromedp.EmulateViewport(1440, 900))
	task(wide)
	narrow := newTab(browser, t).withoutScripts().onPhone()
	narrow.do(chromedp.EmulateViewport(390, 844))
	task(narrow)
}
