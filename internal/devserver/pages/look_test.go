package pages_test

import (
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// look finds what departs from the one look of all pages, in the open page as it is shown: every color, size of text and kind of box is a
// token's, rows of tables have one line, numbers are aligned at their ends, times and IDs are short, signs in controls are icons, and
// nothing moves.
const look = `(() => {
	const wrong = new Set();
	const complain = (what, e) => wrong.add(what + ": " + e.outerHTML.slice(0, 120));
	const textsOf = (e) => {
		const all = [], walker = document.createTreeWalker(e, NodeFilter.SHOW_TEXT);
		while (walker.nextNode()) if (walker.currentNode.parentElement.checkVisibility() && walker.currentNode.data.trim()) all.push(walker.currentNode);
		return all;
	};
	const rectsOf = (text) => {
		const range = document.createRange();
		range.selectNode(text);
		return [...range.getClientRects()].filter(({ width, height }) => width > 1 && height > 1);
	};
	const tokens = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).find((rule) => rule.selectorText === ":root").style;
	const probe = document.body.appendChild(document.createElement("i"));
	const values = (property, pattern) => [...tokens].filter((name) => name.startsWith("--") && pattern.test(name + ":" + tokens.getPropertyValue(name))).map((name) => {
		probe.style[property] = "var(" + name + ")";
		return getComputedStyle(probe)[property];
	});
	const colors = new Set([...values("color", /:\s*light-dark\(/), "rgba(0, 0, 0, 0)", "none"]);
	const sizes = values("fontSize", /^--text-(small|base|large|title):/).map(parseFloat);
	const radii = new Set([...values("borderTopLeftRadius", /^--radius/), "0px"]);
	const card = values("backgroundColor", /^--card:/)[0];
	probe.remove();
	const sides = ["Top", "Right", "Bottom", "Left"];
	for (const e of document.body.querySelectorAll("*")) {
		if (!e.checkVisibility() || e.matches("script, option, input[type=checkbox], video, audio")) continue;
		const style = getComputedStyle(e);
		const bordered = sides.filter((side) => parseFloat(style["border" + side + "Width"]) > 0);
		const used = [style.color, style.backgroundColor, ...bordered.map((side) => style["border" + side + "Color"])];
		if (e.matches("path, rect, circle, text")) used.push(style.fill);
		if (e.matches("path, rect, circle, line")) used.push(style.stroke);
		used.filter((color) => !colors.has(color)).forEach((color) => complain(color + " isn't the color of a token", e));
		const size = parseFloat(style.fontSize);
		if (!sizes.some((token) => [token, 0.93 * token].some((allowed) => Math.abs(size - allowed) < 0.01))) complain(style.fontSize + " isn't the size of a token", e);
		if (!radii.has(style.borderTopLeftRadius)) complain("the radius " + style.borderTopLeftRadius + " isn't that of a token", e);
		if (e.matches("div, section, dialog") && bordered.length === 4 && (style.backgroundColor !== card || style.borderTopLeftRadius !== "8px")) complain("another kind of box", e);
		if (style.animationName !== "none" || parseFloat(style.transitionDuration) > 0 || style.scrollBehavior !== "auto") complain("it moves", e);
	}
	for (const cell of document.querySelectorAll("table:not(.texts) > tbody > tr:not(.more) > *")) {
		if (!cell.checkVisibility() || cell.querySelector("details[open]")) continue;
		const lines = textsOf(cell).flatMap(rectsOf);
		if (innerWidth > 640 && lines.length > 0 && Math.max(...lines.map(({ top }) => top)) >= Math.min(...lines.map(({ bottom }) => bottom))) complain("more than one line", cell);
		const style = getComputedStyle(cell);
		if (cell.matches("td") && /^[≥+−-]? ?\$?-?[\d,.]+( ?(%|µs|ms|s|min|h|bytes?|[KMG]iB))?$/.test(cell.innerText.trim()) && (style.textAlign !== "end" || style.fontVariantNumeric !== "tabular-nums")) complain("a number isn't aligned", cell);
	}
	for (const cell of document.querySelectorAll("td, th")) {
		if (getComputedStyle(cell).overflowX !== "hidden" && [...cell.children].some((child) => child.checkVisibility() && getComputedStyle(child).position !== "absolute" && child.getBoundingClientRect().right > cell.getBoundingClientRect().right + 1)) complain("it prints over its neighbour", cell);
	}
	for (const id of document.querySelectorAll(".id > code")) {
		if (id.checkVisibility() && id.textContent.length > 12 && id.scrollWidth <= id.clientWidth) complain("an ID isn't short", id);
	}
	for (const button of document.querySelectorAll(".copy:has(+ pre)")) {
		const inner = button.getBoundingClientRect(), box = button.nextElementSibling.getBoundingClientRect();
		if (inner.top < box.top || inner.bottom > box.bottom || inner.left < box.left || inner.right > box.right) complain("Copy is outside of its box", button.nextElementSibling);
	}
	for (const text of document.querySelectorAll("a, button, summary")) {
		if (/[←→↑↓✕×▾]/.test(text.innerText)) complain("a sign in place of an icon", text);
	}
	for (const time of document.querySelectorAll("time[datetime]:not([data-whole])")) {
		if (!/^((in )?\d+ (s|min|h|d)( ago)?|[A-Z][a-z]{2} \d+(, \d{4})?, \d\d:\d\d)$/.test(time.textContent) || !time.title.endsWith(time.dateTime)) complain("a time isn't short, or its title isn't whole", time);
	}
	for (const { parentElement: e, data } of textsOf(document.body)) {
		if (/^\s*[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\s*$/.test(data) && !e.closest("pre, .id, .texts")) complain("a whole ID", e);
	}
	return [...wrong];
})()`

// wantLook reports what departs from the look of all pages.
func (b *tab) wantLook(where string) {
	b.t.Helper()
	for _, complaint := range value[[]string](b, look) {
		b.t.Errorf("%s: %s", where, complaint)
	}
}

// TestCopy_unraced copies the text of a box, and an ID of which only the beginning is shown.
func TestCopy_unraced(t *testing.T) {
	t.Parallel()
	s := show(t, hostile)
	b := newTab(devservertest.NewBrowser(t), t).open(s.Web.URL + s.paths["deployment"])
	profile := call(b, target.GetTargetInfo, target.GetTargetInfoParams{}).TargetInfo.BrowserContextID
	for _, name := range []string{"clipboard-read", "clipboard-write"} {
		call(b, browser.SetPermission, browser.SetPermissionParams{
			Permission: &browser.PermissionDescriptor{Name: name}, Setting: browser.PermissionSettingGranted, BrowserContextID: profile,
		})
	}
	call(b, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	for _, text := range []string{"#terraform ~ pre", ".facts .id > code"} {
		want := value[string](b, `(window.text = document.querySelector("`+text+`:is(.copy + *)"), text.previousElementSibling.id = "copy", text.textContent)`)
		b.click("#copy").until(`text.previousElementSibling.textContent === "Copied"`)
		got, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`text.previousElementSibling.id = "", navigator.clipboard.readText()`, chromedp.EvalAwaitPromise))
		if err != nil || got != want || len(want) < len(devserver.DefaultWorkspaceID) {
			t.Errorf("%s: the clipboard has %q %v, want %q", text, got, err, want)
		}
	}
}

// TestSkeleton_unraced shows a place holder while figures are loaded, which goes when they don't come.
func TestSkeleton_unraced(t *testing.T) {
	t.Parallel()
	s := show(t, hostile)
	b := newTab(devservertest.NewBrowser(t), t)
	call(b, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
		Source: `window.fetch = () => new Promise((_, reject) => { window.fail = reject })`,
	})
	b.open(s.Web.URL + s.paths["project"] + "?q=weather")
	const height = `getComputedStyle(document.querySelector("[data-load]"), "::after").blockSize`
	b.until(`document.querySelector("[data-load][aria-busy=true]") && ` + height + ` === "192px"`)
	b.until(`(window.fail(new Error("no connection")), !document.querySelector("[aria-busy]") && ` + height + ` === "auto" && document.querySelector("[data-load] a") !== null)`)
}
